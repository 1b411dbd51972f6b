/** Writes a share, 0 to 1, in percent with one decimal. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
