import { invalidField } from '../../../core/kernel/errors.ts'
import { outlineOf } from '../../../core/kernel/json/json-outline.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import { serveTasks } from '../../../core/kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../core/kernel/threads/thread-priority.ts'
import { checkInline, rowsOfPreview, sampleInline } from './inline-rows.ts'
import type { JsonBounds } from '../../kernel/request/body-intake.ts'
import type { IntakeTasks, SentRows } from './intake-task.ts'
import { serveInspection, serveUpload } from './upload-thread.ts'

/** Niceness of the thread, so that the thread that answers calls goes first. */
const NICENESS = 5

lowerThreadPriority(NICENESS)

serveTasks<IntakeTasks>({
  check: ({ bytes, bounds }) => {
    parse(bytes, bounds)
    return null
  },
  outline: ({ chunks, bounds }) => outlineOf(parse(Buffer.concat(chunks), bounds)),
  split: (input) => split(input),
  dataset: async ({ examples, spelling, unlabelled, tolerances, limits }) =>
    await checkInline({ examples: valuesOf(examples), spelling, unlabelled: valuesOf(unlabelled), tolerances }, limits),
  sample: async ({ examples, limits }) => await sampleInline(valuesOf(examples), limits),
  preview: async ({ examples, seedsText, limits }) => await rowsOfPreview(valuesOf(examples), seedsText, limits),
  upload: async (input, task) => await serveUpload(input, task),
  inspect: async (input, task) => await serveInspection(input, task),
})

function parse(bytes: Uint8Array, { maxDepth, maxParts }: JsonBounds): Json {
  return parseJsonText(decodeUtf8(bytes, 'body'), maxDepth, 'body', maxParts)
}

function split({ bytes, bounds, restParts, lists }: IntakeTasks['split']['input']): IntakeTasks['split']['output'] {
  const body = parse(bytes, bounds)
  if (!isJsonObject(body)) return { rest: body, lists: {} }
  const long = Object.entries(body).filter(([name, value]) => lists.includes(name) && Array.isArray(value))
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !long.some(([other]) => other === name)))
  if (countParts(rest) > restParts) throw invalidField('body', `holds more than ${restParts} members and entries`)
  return { rest, lists: Object.fromEntries(long.map(([name, value]) => [name, asJson(value)])) }
}

function asJson(list: Json): { readonly json: Uint8Array; readonly count: number } {
  return { json: Buffer.from(JSON.stringify(list)), count: Array.isArray(list) ? list.length : 0 }
}

/** Members and entries of a value; depth-bounded by its parser. */
function countParts(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  let parts = 0
  for (const part of Object.values(value)) parts += 1 + countParts(part)
  return parts
}

function valuesOf(rows: SentRows): readonly unknown[] {
  if (rows.kind === 'values') return rows.values
  const values: unknown = JSON.parse(Buffer.from(rows.json.buffer, rows.json.byteOffset, rows.json.length).toString())
  if (!Array.isArray(values)) throw new TypeError('rows are no list')
  return values
}
