import { Refusal } from './verdict.ts'

/**
 * Reads base64 in its only spelling: standard alphabet, padding, no white space, no stray bits. Throws `Refusal` for
 * another text and for more bytes than `most`.
 */
export function readBase64(text: string, most: number, reason: string): Buffer {
  if (text.length > Math.ceil(most / 3) * 4) throw new Refusal(`${reason}_too_long`)
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== text) throw new Refusal(reason)
  return bytes
}
