import { expect } from 'chai'
import { splitRows } from '../../../core/learn/evals/task/split-dataset.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

/** Rows of a dataset by their content: upper-case ones are held out. Each takes one byte. */
async function* rowsOf(texts: string) {
  await Promise.resolve()
  for (const [place, text] of texts.split('').entries()) {
    const hash = Buffer.from(text)
    const record = { hash, key: hash, offset: place, length: 1, group: place, isForgotten: false, isGivenHeld: false }
    yield { record: { ...record, isHeld: text !== text.toLowerCase() }, stored: { id: text, row: {} } }
  }
}

describe('rows of a dataset as splits of an evaluation', () => {
  const split = async (
    texts: string,
    side: 'holdout' | 'train' | 'all',
    { limit = null, rows = 10, bytes = 100 }: { limit?: number | null; rows?: number; bytes?: number } = {},
  ) => {
    const limits = { evaluation_rows: rows, evaluation_prompt_bytes: bytes }
    const { evaluated, examples } = await splitRows(rowsOf(texts), side, { limits, limit })
    return [evaluated, examples].map((some) => some.map(({ stored }) => stored.id).join(''))
  }

  it('makes no row both an evaluated one and an example', async () => {
    expect(await split('aBcDe', 'holdout')).to.deep.equal(['BD', 'ace'])
    expect(await split('aBcDe', 'train', { limit: 1 })).to.deep.equal(['a', 'ce'])
    expect(await split('aBcDe', 'all', { limit: 3 })).to.deep.equal(['aBc', 'e'])
    expect(await split('aBcDe', 'all')).to.deep.equal(['aBcDe', ''])
    expect(await split('abaca', 'train', { limit: 1 }), 'the same content').to.deep.equal(['a', 'bc'])
  })

  it('refuses more rows or bytes than an evaluation may have, and takes as many examples as fit', async () => {
    expect(await split('abcdeF', 'holdout', { rows: 3 })).to.deep.equal(['F', 'abc'])
    expect(await split('abcdeF', 'holdout', { bytes: 2, limit: 1 })).to.deep.equal(['F', 'ab'])
    expect(await split('ABC', 'holdout', { rows: 2, limit: 2 })).to.deep.equal(['AB', ''])
    for (const given of [{ rows: 2 }, { rows: 2, limit: 3 }, { bytes: 2 }]) {
      await expectCode('validation_failed', async () => await split('ABC', 'holdout', given))
    }
  })
})
