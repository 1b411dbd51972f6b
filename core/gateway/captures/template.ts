import { hash } from 'node:crypto'

/** Characters of a head at most. */
const HEAD_CHARS = 200
/** A head without an end of a sentence has this many characters. */
const PLAIN_CHARS = 80
const HEAD = /^[\s\S]{7,199}?[?.!:\n]/

/**
 * The template signature of a call, version 1: calls that differ only in names, numbers, addresses and quoted texts have
 * one. `ts1:` and the first 16 hexadecimal digits of SHA-256 over the model, the heads of the instructions and of the newest
 * turn. Null without a turn.
 */
export function templateSignature(call: {
  readonly model: string | null
  readonly system: string
  readonly lastUser: string
}): string | null {
  if (call.lastUser.trim() === '') return null
  const text = [call.model ?? '', maskedHead(call.system), maskedHead(call.lastUser)].join('\n')
  return `ts1:${hash('sha256', text).slice(0, 16)}`
}

/** The beginning of a text with what varies replaced. */
function maskedHead(text: string): string {
  const begin = text.trimStart().slice(0, HEAD_CHARS)
  const head = HEAD.exec(begin)?.[0] ?? begin.slice(0, PLAIN_CHARS)
  return head
    .replaceAll(/\bhttps?:\/\/\S+/gi, '<url>')
    .replaceAll(/\S+@\S+\.\S+/g, '<email>')
    .replaceAll(/\bVAR_[A-Z_]+_\d+\b/g, '<V>')
    .replaceAll(/"[^"]*"|“[^”]*”|«[^»]*»/g, '<S>')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '<N>')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}
