import { open, readFile, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { decodeUtf8 } from '../../kernel/json/utf8.ts'
import type { ByteSource } from './safetensors/read.ts'

/** The most bytes of a JSON or template file; the largest tokenizers in use have 35 MB. */
const MOST_TEXT_BYTES = 128 * 1024 * 1024

/** A text file of a base's folder; undefined when it is not there. Throws `invalid_model` when it cannot be read as text. */
export async function readText(directory: string, file: string): Promise<string | undefined> {
  const path = join(directory, file)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return undefined
  if (!found.isFile() || found.size > MOST_TEXT_BYTES) {
    throw MODEL_ERRORS.invalid_model(`${file}: must be a file of at most ${MOST_TEXT_BYTES} bytes`)
  }
  try {
    return decodeUtf8(await readFile(path), file)
  } catch (cause) {
    throw MODEL_ERRORS.invalid_model(`${file}: cannot be read as UTF-8 text`, { cause })
  }
}

/**
 * Reads a JSON object of a base's folder; undefined when the file does not exist. Throws `invalid_model` for other
 * JSON. The strict reader of requests would refuse vocabularies that hold millions of entries or a token named
 * `__proto__`.
 */
export async function readObject(directory: string, file: string): Promise<JsonObject | undefined> {
  const text = await readText(directory, file)
  if (text === undefined) return undefined
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw MODEL_ERRORS.invalid_model(`${file}: is not valid JSON`, { cause })
  }
  if (!isJsonObject(value)) throw MODEL_ERRORS.invalid_model(`${file}: must be a JSON object`)
  return value
}

/** The same for a file that must be there. */
export async function requireObject(directory: string, file: string): Promise<JsonObject> {
  const value = await readObject(directory, file)
  if (value === undefined) throw MODEL_ERRORS.invalid_model(`${file} is missing in ${directory}`)
  return value
}

/** Opens a file of a base's folder for positional reads while `work` runs. Throws `invalid_model` when it cannot. */
export async function withSource<T>(
  directory: string,
  file: string,
  work: (source: ByteSource) => Promise<T>,
): Promise<T> {
  let handle: FileHandle
  try {
    handle = await open(join(directory, file), 'r')
  } catch (cause) {
    throw MODEL_ERRORS.invalid_model(`${file} cannot be opened in ${directory}`, { cause })
  }
  try {
    const { size } = await handle.stat()
    return await work({
      sizeBytes: size,
      read: async (into, offset) => (await handle.read(into, 0, into.length, offset)).bytesRead,
    })
  } finally {
    await handle.close()
  }
}
