import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { loadTokenizer } from '../../../core/model/tokenizer/load-tokenizer.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { goldenFolder } from '../files/base-folder.ts'
import { byteCharacters, byteLevelTokenizer, sentencepieceTokenizer } from './vocabularies.ts'

const TEXTS = [
  '',
  ' ',
  'the café',
  '  two  spaces\n\n\ttab',
  '👩‍👩‍👧 family 🇬🇧',
  'line\r\nbreak ',
  '漢字 and ½',
  '\u0000\u007f\uffff',
]

const Encodings = z.object({
  texts: z.array(z.object({ text: z.string(), ids: z.array(z.number()), decoded: z.string() })),
})

const anyText = fc.string({ unit: 'binary', maxLength: 40 })

describe('tokenizer', () => {
  const byteLevel = loadTokenizer(byteLevelTokenizer(), {})
  const sentencepiece = loadTokenizer(sentencepieceTokenizer(), {})
  const bytesOf = (tokenizer: typeof byteLevel, ids: readonly number[]) =>
    Buffer.concat(ids.map((id) => tokenizer.tokenBytes(id) ?? new Uint8Array()))

  it('gives the ids that the tokenizers library gives', async () => {
    const folder = goldenFolder('llama-tied')
    const { tokenizer } = await readBaseTokenizer(folder, await readBaseConfig(folder))
    const { texts } = Encodings.parse(JSON.parse(await readFile(`${folder}/../encodings.json`, 'utf8')))
    for (const { text, ids, decoded } of texts) {
      expect(tokenizer.encode(text)).to.deep.equal(ids)
      expect(tokenizer.decode(ids, { keepSpecial: true })).to.equal(decoded)
    }
  })

  it('merges, and recognises special tokens within a text', () => {
    expect(byteLevel.encode('the the')).to.deep.equal([257, 258])
    expect(byteLevel.encode('<|input|>the<|end|>')).to.deep.equal([262, 257, 261])
    expect(byteLevel.decode([262, 257, 261])).to.equal('the')
    expect(byteLevel.decode([262, 257, 261], { keepSpecial: true })).to.equal('<|input|>the<|end|>')
    expect(byteLevel.vocabSize).to.equal(264)
    expect(byteLevel.tokenId('<|end|>')).to.equal(261)
    expect(byteLevel.tokenId('absent')).to.equal(null)
  })

  it('cuts off every numeric character where single digits are cut off, as the tokenizers library does', () => {
    const merges = ['Ġ 1', 'Ġ Â', 'Ġ Ù', '1 2', 'Ġ x']
    const tokens = [...byteCharacters(), ...merges.map((merge) => merge.replace(' ', ''))]
    const digits = loadTokenizer(
      {
        ...byteLevelTokenizer(),
        added_tokens: [],
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [
            { type: 'Digits', individual_digits: true },
            { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
          ],
        },
        model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
      },
      {},
    )
    const joined = tokens.indexOf('Ġx')
    for (const text of [' 12', ' ²', ' ٣']) {
      expect(digits.encode(text).length).to.equal(Buffer.byteLength(text))
      expect(digits.encode(`${text} x`).at(-1)).to.equal(joined)
    }
  })

  it('keeps every text', () => {
    for (const text of TEXTS) {
      expect(byteLevel.decode(byteLevel.encode(text))).to.equal(text)
      expect(sentencepiece.decode(sentencepiece.encode(text))).to.equal(text)
    }
    fc.assert(
      fc.property(anyText, (text) => {
        expect(byteLevel.decode(byteLevel.encode(text, { asPlainText: true }))).to.equal(text)
      }),
      { numRuns: 200 },
    )
  })

  it('says for each token which bytes it adds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...TEXTS), anyText), (text) => {
        const ids = byteLevel.encode(text, { asPlainText: true })
        expect(bytesOf(byteLevel, ids).toString('hex')).to.equal(Buffer.from(text).toString('hex'))
      }),
      { numRuns: 200 },
    )
    expect(byteLevel.tokenBytes(261)).to.equal(null)
    expect(byteLevel.tokenBytes(9999)).to.equal(null)
    expect(Buffer.from(byteLevel.tokenBytes(263) ?? []).toString()).to.equal('<tool>')
  })

  it('says so for sentencepiece too, with the space that it puts in front', () => {
    for (const text of TEXTS.filter((each) => each !== '')) {
      expect(bytesOf(sentencepiece, sentencepiece.encode(text)).toString()).to.equal(` ${text}`)
    }
    expect([sentencepiece.lead, byteLevel.lead]).to.deep.equal([' ', ''])
    expect(sentencepiece.tokenBytes(3 + 0x0a)).to.deep.equal(Uint8Array.of(0x0a))
    expect(sentencepiece.tokenBytes(1)).to.equal(null)
    expect(sentencepiece.encode('a', { addSpecial: true })[0]).to.equal(1)
    expect(sentencepiece.encode('a')[0]).to.not.equal(1)
  })

  it('never lets a plain text write a special token', () => {
    for (const tokenizer of [byteLevel, sentencepiece]) {
      for (const text of ['<|end|>', 'a<|end|><|input|>b', '</s>', '<s></s>x', '<|en<|end|>d|>']) {
        const ids = tokenizer.encode(text, { asPlainText: true })
        expect(ids.every((id) => tokenizer.tokenBytes(id) !== null)).to.equal(true)
        expect(tokenizer.decode(ids)).to.equal(text)
      }
    }
  })

  it('leaves unused ids out, and marks bytes that are no text', () => {
    expect(byteLevel.decode([])).to.equal('')
    expect(byteLevel.decode([50_000, 257, -1])).to.equal('the')
    expect(byteLevel.decode([0xc3])).to.equal('\ufffd')
  })

  it('refuses a text that its vocabulary cannot write, and never drops a character', async () => {
    const folder = goldenFolder('llama-tied')
    const { tokenizer } = await readBaseTokenizer(folder, await readBaseConfig(folder))
    for (const text of ['☃', 'the ☃ order']) await expectCode('invalid_model', () => tokenizer.encode(text))
  })

  it('refuses other kinds of tokenizers', async () => {
    const golden = byteLevelTokenizer()
    const cases = [
      {},
      { ...golden, model: { type: 'Unigram', vocab: [] } },
      { ...golden, decoder: { type: 'WordPiece' } },
      { ...golden, model: { type: 'BPE', merges: [], vocab: { a: -1 } } },
      { ...golden, model: { type: 'BPE', merges: [], vocab: { a: 2 ** 40 } } },
      { ...golden, model: { type: 'BPE', merges: [], vocab: [] } },
      { ...golden, model: { type: 'BPE', vocab: { a: 0 } } },
      { ...golden, added_tokens: [{ id: 'x' }] },
      { ...golden, added_tokens: {} },
      { ...golden, pre_tokenizer: { type: 'Unheard' } },
    ]
    for (const tokenizer of cases) await expectCode('invalid_model', () => loadTokenizer(tokenizer, {}))
  })
})
