package sqltext

// Moment is the time in microseconds. It makes numbers that are never given twice, whatever a crash or a failover loses: servers
// remember by them what the lost transactions wrote.
const Moment = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
