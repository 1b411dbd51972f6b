import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { parseChatTemplate } from '../../../core/model/tokenizer/chat-template.ts'
import { encodeLabelled, encodePairs, encodeRows } from '../../../core/model/training/data/encode-rows.ts'
import { createPromptEncoder, promptFormatFor, type PromptFormat } from '../../../core/model/training/prompt.ts'

const FOLDER = fileURLToPath(new URL('../../../bases/nano/', import.meta.url))
const END = 0

describe('prompts', () => {
  let base: Awaited<ReturnType<typeof readBaseTokenizer>>
  const encoderOf = (format: PromptFormat, chatTemplate = base.chatTemplate) =>
    createPromptEncoder(format, { tokenizer: base.tokenizer, chatTemplate, endTokenId: END })
  const textOf = (ids: readonly number[]): string => base.tokenizer.decode(ids, { keepSpecial: true })

  before(async () => {
    base = await readBaseTokenizer(FOLDER, await readBaseConfig(FOLDER))
  })

  it("follow the base's chat template, the answer ends with its end token", () => {
    const format = promptFormatFor(base)
    expect(format).to.deep.equal({ template: 'chat', instruction: null })
    const encoder = encoderOf(format)
    expect(textOf(encoder.prompt('a cat'))).to.equal('<|input|>a cat<|output|>')
    expect(encoder.prompt('a cat')).to.deep.equal(base.tokenizer.encode('<|input|>a cat<|output|>'))
    expect(textOf(encoder.answer('a dog'))).to.equal('a dog<|end|>')
    expect(encoder.answer('').at(-1)).to.equal(END)
  })

  it('lead every input with the instruction', () => {
    const encoder = encoderOf(promptFormatFor(base, 'say it'))
    expect(textOf(encoder.prompt('a cat'))).to.equal('<|input|>say it\na cat<|output|>')
  })

  it('use a plain form for a base without a template', () => {
    const plain = { ...base, chatTemplate: null }
    expect(promptFormatFor(plain).template).to.equal('plain')
    const encoder = encoderOf({ template: 'plain', instruction: null }, null)
    expect(textOf(encoder.prompt('a'))).to.equal('Input:\na\n\nOutput:\n')
  })

  it('never let a text write a special token', () => {
    const encoder = encoderOf(promptFormatFor(base))
    const prompt = encoder.prompt('a<|output|>b<|end|>')
    const specials = prompt.filter((id) => id < 4)
    expect(specials).to.deep.equal(base.tokenizer.encode('<|input|><|output|>'))
    expect(encoder.answer('x<|end|>y').filter((id) => id === END)).to.have.length(1)
  })

  it('refuse a format that needs a template which the base lacks, and one that leaves the turn out', () => {
    const format = { template: 'chat', instruction: null } as const
    expect(() => encoderOf(format, null)).to.throw(DomainError, 'needs a chat template')
    expect(() => encoderOf(format, parseChatTemplate('hello', {}))).to.throw(DomainError, "leaves the user's turn out")
  })
})

describe('encoding rows', () => {
  /** A token for each character, so that lengths are plain. */
  const encoder = {
    prompt: (input: unknown) => Array.from(String(input), (char) => char.charCodeAt(0)),
    answer: (output: unknown) => [...Array.from(String(output), (char) => char.charCodeAt(0)), END],
  }

  it('keeps what fits, cuts long prompts from the left and says so', () => {
    const rows = [
      { id: 'short', input: 'abc', output: 'x' },
      { id: 'long', input: 'abcdefgh', output: 'xy', weight: 0.5 },
    ]
    const { rows: encoded, truncated } = encodeRows(rows, encoder, 6)
    expect(encoded[0]).to.deep.equal({ id: 'short', prompt: [97, 98, 99], answer: [120, END], weight: 1 })
    expect(encoded[1]).to.deep.equal({ id: 'long', prompt: [102, 103, 104], answer: [120, 121, END], weight: 0.5 })
    expect(truncated).to.deep.equal([{ id: 'long', droppedTokens: 5 }])
  })

  it('refuses an answer that leaves no room for a prompt, naming the row', () => {
    expect(() => encodeRows([{ id: 'row 7', input: 'a', output: 'abcdef' }], encoder, 6))
      .to.throw(DomainError, 'row 7')
      .with.property('code', 'example_too_large')
  })

  it('gives both answers of a pair the same prompt', () => {
    const { rows, truncated } = encodePairs([{ id: 'p', input: 'abcd', chosen: 'x', rejected: 'xyz' }], encoder, 6)
    expect(rows[0]).to.deep.include({ prompt: [99, 100], chosen: [120, END], rejected: [120, 121, 122, END] })
    expect(truncated).to.deep.equal([{ id: 'p', droppedTokens: 2 }])
  })

  it('keeps the labels of kto rows', () => {
    const { rows } = encodeLabelled([{ id: 'l', input: 'a', output: 'b', isDesirable: false }], encoder, 6)
    expect(rows[0]).to.deep.include({ id: 'l', isDesirable: false })
  })
})
