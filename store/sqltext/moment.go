package sqltext

// Moment is the time in microseconds. It provides numbers that are never used twice, even after a crash or a failover that loses transactions: what
// servers remember is identified by these numbers.
const Moment = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
