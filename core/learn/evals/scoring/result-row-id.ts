/** Returns the id under which the result of a row is recorded for diagnosis: its task, and its number from 1. */
export function resultRowId(task: string, docId: number): string {
  return `${task}/${docId + 1}`
}
