const LEADING = /^\s*\(?([A-D])(?![A-Za-z])/
const STATED = /[Aa]nswer(?:\s+is|\s*:)\s*:?\s*\(?([A-D])(?![A-Za-z])/
const STANDING = /(?<![A-Za-z])[A-D](?![A-Za-z])/g
const ANY = /[A-D]/

/** Returns the letter of a choice in an answer: the one it begins with, the one it states, the last that stands alone, or any; null without one. */
export function choiceLetter(text: string): string | null {
  const stated = LEADING.exec(text)?.[1] ?? STATED.exec(text)?.[1]
  return stated ?? text.match(STANDING)?.at(-1) ?? ANY.exec(text)?.[0] ?? null
}
