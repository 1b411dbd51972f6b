import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '../../kernel/json/json.ts'
import { requireObject } from '../files/base-files.ts'

/** The files of a base beside its weights. */
export interface BaseTexts {
  readonly config: JsonObject
  readonly tokenizer: JsonObject
  /** Files that are copied unchanged, by name. */
  readonly others: ReadonlyMap<string, Uint8Array>
}

/** Files that tools read beside config.json and the weights. */
const COPIED = [
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'chat_template.jinja',
  'vocab.json',
  'merges.txt',
] as const

/** Reads the files beside the weights of a base's folder; missing ones are skipped. Throws `invalid_model`. */
export async function readBaseTexts(directory: string): Promise<BaseTexts> {
  const others = new Map<string, Uint8Array>()
  for (const name of COPIED) {
    const bytes = await readFile(join(directory, name)).catch(() => undefined)
    if (bytes !== undefined) others.set(name, bytes)
  }
  return {
    config: await requireObject(directory, 'config.json'),
    tokenizer: await requireObject(directory, 'tokenizer.json'),
    others,
  }
}

/** A JSON document as people read it. */
export function encodeJsonMember(document: JsonObject): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`)
}
