import { expect } from 'chai'
import { chunkText, MOST_CHUNK_TERMS } from '../../../../core/compile/documents/chunk-text.ts'
import { queryTerms, termsOf } from '../../../../core/compile/documents/terms.ts'

/** The chunks of a text that hold all terms of a query. */
function holding(text: string, query: string): number {
  const terms = queryTerms(query)
  return chunkText(text).filter((chunk) => terms.every((term) => chunk.vector.includes(`'${term}':`))).length
}

describe('the terms of a document', () => {
  it('are all in a chunk, however many words its characters hold', () => {
    const numbers = Array.from({ length: 900 }, (_, at) => `${at + 100}`)
    const text = numbers.join(' ')
    const chunks = chunkText(text)
    for (const { length, text: chunk } of chunks) {
      expect(length).to.equal(termsOf(chunk).length)
      expect(length).to.be.at.most(MOST_CHUNK_TERMS)
    }
    for (const number of numbers) expect(holding(text, number), number).to.be.at.least(1)
    // A line of one-letter words ends no chunk before its middle, so chunks stay few.
    expect(chunkText('q\n'.repeat(6000)).length).to.be.at.most(60)
  })

  it('are found in scripts without spaces, by pairs of letters', () => {
    const text = '保修期为两年，运输途中损坏的包裹由我们承担。返品は三十日以内に受け付けます。พัสดุที่เสียหายจะได้รับเงินคืน'
    for (const query of ['保修', '损坏的包裹', '返品', 'เสียหาย', '三十日以内'])
      expect(holding(text, query), query).to.equal(1)
    for (const query of ['修保', '破损', 'หายเสีย']) expect(holding(text, query), query).to.equal(0)
    const long = '天地玄黄宇宙洪荒日月盈昃'.repeat(200)
    for (const { length } of chunkText(long)) expect(length).to.be.at.most(MOST_CHUNK_TERMS)
    expect(chunkText(long).length).to.be.at.most(12)
    expect(termsOf('iPhone手机')).to.deep.equal(['iphon', '手机'])
  })

  it('are the same for both forms of an accent', () => {
    const composed = 'Café Zürich, Việt Nam'
    expect(termsOf(composed.normalize('NFD'))).to.deep.equal(termsOf(composed))
    expect(holding(composed.normalize('NFD'), 'zürich')).to.equal(1)
    expect(termsOf('I ❤️ tea')).to.deep.equal(['tea'])
  })
})
