/** Returns a time of the processor as a date. */
export function instantOf(seconds: number): Date
export function instantOf(seconds: number | null): Date | null
export function instantOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}
