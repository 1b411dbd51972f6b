import { hash } from 'node:crypto'
import type { JsonObject } from '../../kernel/json/json.ts'
import { requestTexts } from './texts.ts'

/** Characters of a head at most. */
const HEAD_CHARS = 200
/** A head without an end of a sentence has this many characters. */
const PLAIN_CHARS = 80
const HEAD = /^[\s\S]{7,199}?[?.!:\n]/
/** Characters of instructions that count. */
const INSTRUCTION_CHARS = 2000
/** Characters behind these that are masked with them, so that an address at the end is one. */
const SPARE_CHARS = 100
/** Instructions of as many words state the task themselves. */
const INSTRUCTIVE_WORDS = 8

/** The texts of a call that say which task it is. */
export interface TemplateSource {
  readonly system: string
  /** The newest turn of the user. */
  readonly lastUser: string
}

/**
 * The template signature of a call, version 1, the same for every way in which calls are recorded: `ts1:` and the first 16
 * hexadecimal digits of SHA-256 over `templateText`. Calls that differ only in names, numbers, addresses and quoted texts
 * have one, whatever model answered. Null without a turn.
 */
export function templateSignature(source: TemplateSource): string | null {
  const text = templateText(source)
  return text === null ? null : `ts1:${hash('sha256', text).slice(0, 16)}`
}

/**
 * The part of a call that its task has in common with others, with what varies replaced: the instructions, and the head of
 * the newest turn. After instructions of eight words the turn is data, unless its head ends in a colon, as in
 * "Summarise:". Null without a turn.
 */
export function templateText({ system, lastUser }: TemplateSource): string | null {
  if (lastUser.trim() === '') return null
  const instructions = plain(masked(system.slice(0, INSTRUCTION_CHARS + SPARE_CHARS)).slice(0, INSTRUCTION_CHARS))
  const head = headOf(lastUser)
  const isData = instructions.split(' ', INSTRUCTIVE_WORDS).length === INSTRUCTIVE_WORDS && !head.endsWith(':')
  return `${instructions}\n${isData ? '' : plain(head)}`
}

/** The texts of a stored body, as the gateway reads them; a body without turns has its prompt. */
export function sourceOf(prompt: string, body: JsonObject | null): TemplateSource {
  const texts = requestTexts(body ?? {})
  return texts.lastUser === '' ? { system: '', lastUser: prompt } : texts
}

/** The beginning of a text, up to the end of its first sentence: masked before, since addresses and numbers hold dots. */
function headOf(text: string): string {
  const begin = masked(text.trimStart().slice(0, HEAD_CHARS + SPARE_CHARS)).slice(0, HEAD_CHARS)
  return HEAD.exec(begin)?.[0] ?? begin.slice(0, PLAIN_CHARS)
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

function masked(text: string): string {
  return text
    .replaceAll(/\bhttps?:\/\/\S+/gi, '<url>')
    .replaceAll(/\S+@\S+\.\S+/g, '<email>')
    .replaceAll(/\bVAR_[A-Z_]+_\d+\b/g, '<V>')
    .replaceAll(/"[^"]*"|“[^”]*”|«[^»]*»/g, '<S>')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '<N>')
}
