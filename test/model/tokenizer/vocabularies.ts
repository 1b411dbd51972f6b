import type { JsonObject } from '../../../core/kernel/json/json.ts'

const special = (id: number, content: string) => ({
  id,
  content,
  special: true,
  normalized: false,
  single_word: false,
  lstrip: false,
  rstrip: false,
})

/** GPT-2's characters for the 256 bytes, in the order of the bytes. */
export function byteCharacters(): readonly string[] {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
    return String.fromCodePoint(isPrintable ? byte : next++)
  })
}

/** A byte-level BPE as Qwen2 has it: all bytes, a few merges, two special tokens and one added word. */
export function byteLevelTokenizer(): JsonObject {
  const merges = ['t h', 'th e', 'Ġ the', 'Ã ©', 'Ġ a']
  const tokens = [...byteCharacters(), ...merges.map((merge) => merge.replace(' ', ''))]
  return {
    version: '1.0',
    added_tokens: [special(261, '<|end|>'), special(262, '<|input|>'), { ...special(263, '<tool>'), special: false }],
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        {
          type: 'Split',
          pattern: {
            Regex:
              "'s|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
          },
          behavior: 'Isolated',
          invert: false,
        },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      unk_token: null,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  }
}

/** A BPE with sentencepiece's spelling as Llama 2 has it: a mark for spaces, bytes for what has no token. */
export function sentencepieceTokenizer(): JsonObject {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const merges = ['t h', 'th e', '▁ the', '▁ a']
  const letters = Array.from('▁abcdefghijklmnopqrstuvwxyz.,é')
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...letters, ...merges.map((merge) => merge.replace(' ', ''))]
  return {
    version: '1.0',
    added_tokens: [special(0, '<unk>'), special(1, '<s>'), special(2, '</s>')],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
    },
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  }
}
