/** The part of the process's logger that activities use. */
export interface ActivityLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
