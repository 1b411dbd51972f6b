import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { tokenizerConfig, tokenizerJson } from '../../bases/training/tokenizer/tokenizer-files.ts'
import { trainBpe, vocabularyOf } from '../../bases/training/tokenizer/train-bpe.ts'
import { loadTokenizer } from '../../core/model/tokenizer/load-tokenizer.ts'

const read = (file: string) => JSON.parse(readFileSync(`bases/nano/${file}`, 'utf8'))
const committed = () => loadTokenizer(read('tokenizer.json'), read('tokenizer_config.json'))

describe('training a byte-level vocabulary', () => {
  it('merges the pair that the most words hold first', () => {
    expect(trainBpe(['low low low lower', 'slow'], 2)).to.deep.equal([
      ['l', 'o'],
      ['lo', 'w'],
    ])
  })

  it('stops when every word is one token', () => {
    expect(trainBpe(['aa'], 10)).to.deep.equal([['a', 'a']])
  })

  it('gives the same merges for the same texts in any order of equals', () => {
    const texts = ['the cat sat on the mat', 'a dog ate the hat']
    expect(trainBpe(texts, 30)).to.deep.equal(trainBpe(texts.toReversed(), 30))
  })

  it('never joins digits, so that numbers are spelled digit by digit', () => {
    const vocabulary = vocabularyOf([], trainBpe(['1000 1000 1000 2000'], 10))
    expect(vocabulary.filter((token) => /\d\d/.test(token))).to.deep.equal([])
  })

  it('writes a tokenizer that gives any text back', () => {
    const merges = trainBpe(['the quick brown fox', 'the lazy dog'], 20)
    const tokenizer = loadTokenizer(tokenizerJson(merges), tokenizerConfig(512))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(tokenizer.decode(tokenizer.encode(text, { asPlainText: true }))).to.equal(text)
      }),
    )
  })
})

describe('the tokenizer of bases/nano', () => {
  it('gives any text back', () => {
    const tokenizer = committed()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(tokenizer.decode(tokenizer.encode(text, { asPlainText: true }))).to.equal(text)
      }),
    )
  })

  it('knows its special tokens by their ids', () => {
    const tokenizer = committed()
    expect(tokenizer.encode('<|input|>12<|output|>a<|end|>')).to.deep.equal([
      1,
      tokenizer.tokenId('1'),
      tokenizer.tokenId('2'),
      2,
      tokenizer.tokenId('a'),
      0,
    ])
  })

  it('takes special tokens in plain text as characters', () => {
    const ids = committed().encode('<|end|>', { asPlainText: true })
    expect(ids).to.not.include(0)
  })
})
