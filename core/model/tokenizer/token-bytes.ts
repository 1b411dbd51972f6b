import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'

/** Spelling of a vocabulary's tokens. */
export type TokenSpelling = 'byte-level' | 'sentencepiece'

/** Represents a space in a sentencepiece vocabulary. */
const SPACE_MARK = '▁'

/**
 * Returns a tokenizer's spelling of tokens: `byte-level` where one character represents each byte (GPT-2's table),
 * `sentencepiece` where `▁` represents a space and `<0x0A>` a byte. Undefined for other spellings.
 */
export function findTokenSpelling(tokenizer: JsonObject): TokenSpelling | undefined {
  const decoders = stepTypes(tokenizer['decoder'], 'decoders')
  if (decoders.includes('ByteLevel')) return 'byte-level'
  if (decoders.includes('Metaspace') || decoders.includes('ByteFallback')) return 'sentencepiece'
  return undefined
}

/** Returns the bytes of a vocabulary token; undefined for a text that the spelling cannot have. */
export function spelledBytes(token: string, spelling: TokenSpelling): Uint8Array | undefined {
  if (spelling === 'byte-level') {
    const bytes = Array.from(token, (char) => BYTE_OF_CHAR.get(char))
    return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined
  }
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1]
  if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16))
  return new TextEncoder().encode(token.replaceAll(SPACE_MARK, ' '))
}

/** GPT-2's table: printable Latin-1 characters represent their own byte, U+0100 onwards the other bytes. */
const BYTE_OF_CHAR: ReadonlyMap<string, number> = buildByteTable()

function buildByteTable(): ReadonlyMap<string, number> {
  const table = new Map<string, number>()
  let next = 0x100
  for (let byte = 0; byte < 256; byte++) table.set(String.fromCodePoint(isPrintable(byte) ? byte : next++), byte)
  return table
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad)
}

function stepTypes(step: Json | undefined, list: string): readonly string[] {
  if (!isJsonObject(step)) return []
  const { type, [list]: steps } = step
  const own = typeof type === 'string' ? [type] : []
  return Array.isArray(steps) ? [...own, ...steps.flatMap((each: Json) => stepTypes(each, list))] : own
}
