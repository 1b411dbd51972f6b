import { MODEL_ERRORS } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

/**
 * The regular expressions by which published tokenizers cut a text before the merges, with the name under which
 * llama.cpp has the same one (llama-vocab.cpp, `llm_tokenizer_bpe`).
 */
const SPLIT_PATTERNS: Readonly<Record<string, string>> = {
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+":
    'llama-bpe',
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+":
    'qwen2',
}

/**
 * Name of the way a tokenizer cuts texts, as llama.cpp calls it: `gpt-2` for the byte-level splitter alone, `smollm`
 * when single digits are cut off first, else by the regular expression. Throws `export_not_applicable` for a way that
 * llama.cpp does not know: it would cut texts otherwise than the model was trained with, without a word.
 */
export function findPreTokenizer(preTokenizer: Json | undefined, normalizer: Json | undefined): string {
  const steps = stepsOf(preTokenizer)
  const name = nameOf(steps)
  const isNormalised = stepsOf(normalizer).length > 0
  // Qwen's files require NFC, which llama.cpp skips for every model; texts are usually composed already.
  if (name === undefined || (isNormalised && name !== 'qwen2')) {
    throw MODEL_ERRORS.export_not_applicable(
      `llama.cpp has no pre-tokenizer that equals the one of this base: ${JSON.stringify(preTokenizer ?? null).slice(0, 200)}`,
    )
  }
  return name
}

function nameOf(steps: readonly JsonObject[]): string | undefined {
  const [first, second, ...rest] = steps
  if (first === undefined || rest.length > 0) return undefined
  if (second === undefined) return isByteLevel(first, true) ? 'gpt-2' : undefined
  if (first['type'] === 'Digits' && first['individual_digits'] === true && isByteLevel(second, true)) return 'smollm'
  const pattern = isJsonObject(first['pattern']) ? first['pattern']['Regex'] : undefined
  const isSplit = first['type'] === 'Split' && first['behavior'] === 'Isolated' && first['invert'] !== true
  if (!isSplit || typeof pattern !== 'string' || !isByteLevel(second, false)) return undefined
  return SPLIT_PATTERNS[pattern]
}

/** GPT-2's step: bytes as characters, and with `use_regex` its own splitting. */
function isByteLevel(step: JsonObject, usesRegex: boolean): boolean {
  return step['type'] === 'ByteLevel' && step['add_prefix_space'] !== true && (step['use_regex'] ?? true) === usesRegex
}

function stepsOf(step: Json | undefined): readonly JsonObject[] {
  if (!isJsonObject(step)) return []
  if (step['type'] !== 'Sequence') return [step]
  const inner = step['pretokenizers'] ?? step['normalizers']
  return Array.isArray(inner) ? inner.flatMap(stepsOf) : []
}
