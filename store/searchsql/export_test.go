package searchsql

// DateStats are the statistics of dates as PostgreSQL computes them.
const DateStats = dateStats
