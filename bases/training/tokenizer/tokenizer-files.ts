import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { vocabularyOf, type Merge } from './train-bpe.ts'

/** The special tokens of the base; the index is the id. */
export const SPECIAL_TOKENS = ['<|end|>', '<|input|>', '<|output|>', '<|pad|>'] as const
/** Ids of the special tokens. */
export const END = 0
export const INPUT = 1
export const OUTPUT = 2

/** Tokens in the whole vocabulary of the base. */
export const VOCABULARY_SIZE = 1536
/** Merges that fill the vocabulary up. */
export const MERGE_COUNT = VOCABULARY_SIZE - SPECIAL_TOKENS.length - 256

/** The chat template: one turn is an input and its output; a system message leads the input that follows it. */
export const CHAT_TEMPLATE = [
  "{%- set lead = namespace(text='') -%}",
  '{%- for message in messages -%}',
  "{%- if message['role'] == 'system' -%}{%- set lead.text = message['content'] + '\\n' -%}",
  "{%- elif message['role'] == 'user' -%}{{- '<|input|>' + lead.text + message['content'] -}}{%- set lead.text = '' -%}",
  "{%- else -%}{{- '<|output|>' + message['content'] + '<|end|>' -}}",
  '{%- endif -%}',
  '{%- endfor -%}',
  "{%- if add_generation_prompt -%}{{- '<|output|>' -}}{%- endif -%}",
].join('')

/** The content of `tokenizer.json` of a byte-level BPE model, as the `tokenizers` library reads it. */
export function tokenizerJson(merges: readonly Merge[]): JsonObject {
  const vocabulary = vocabularyOf(SPECIAL_TOKENS, merges)
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges: merges.map(([left, right]) => [left, right]),
    },
  }
}

/** The content of `tokenizer_config.json`. */
export const tokenizerConfig = (contextLength: number): JsonObject => ({
  tokenizer_class: 'PreTrainedTokenizerFast',
  model_max_length: contextLength,
  clean_up_tokenization_spaces: false,
  add_prefix_space: false,
  eos_token: SPECIAL_TOKENS[END],
  pad_token: SPECIAL_TOKENS[3],
  chat_template: CHAT_TEMPLATE,
})
