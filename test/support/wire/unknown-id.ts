/** Returns an unused id of the same kind. */
export function unknownLike(id: string): string {
  return id.replace(/[0-9a-z]{8}$/, id.endsWith('00000000') ? '00000001' : '00000000')
}
