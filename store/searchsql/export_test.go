package searchsql

// DateStats computes the statistics of dates in PostgreSQL.
const DateStats = dateStats
