import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { encodeConstraint } from '../../../core/model/generation/encode-constraint.ts'

const NANO = fileURLToPath(new URL('../../../bases/nano', import.meta.url))

describe('encodeConstraint', () => {
  it('takes what looks like a special token in a label as plain characters', async () => {
    const { tokenizer } = await readBaseTokenizer(NANO, await readBaseConfig(NANO))
    const labels = ['refund', '<|end|>', 'a<|input|>b']
    const encoded = encodeConstraint({ type: 'labels', labels }, tokenizer)
    if (encoded?.type !== 'labels') throw new Error('no labels')
    expect(encoded.sequences.map((ids) => tokenizer.decode(ids))).to.deep.equal(labels)
    expect(encoded.sequences.flat()).to.not.include(tokenizer.tokenId('<|end|>'))
  })
})
