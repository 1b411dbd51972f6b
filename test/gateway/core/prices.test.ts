import { expect } from 'chai'
import fc from 'fast-check'
import { costMicros, pricesOf, worstCaseMicros } from '../../../core/gateway/providers/prices.ts'
import { aRequest } from './given.ts'

describe('prices', () => {
  it('knows listed models and their dated snapshots, and says as of when', () => {
    expect(pricesOf('gpt-4o-mini', undefined)).to.deep.equal({
      input: 0.15,
      cached: 0.075,
      output: 0.6,
      source: 'price list of 2025-12-01',
    })
    expect(pricesOf('gpt-4o-2024-08-06', undefined)?.output).to.equal(10)
    expect(pricesOf('claude-sonnet-4-5-20250929', undefined)?.input).to.equal(3)
  })

  it('never assumes a price: an unknown model has none unless the operator says it', () => {
    expect(pricesOf('my-own-model', undefined)).to.equal(null)
    expect(pricesOf('constructor', undefined)).to.equal(null)
    expect(pricesOf('my-own-model', { input: 1, cached: 0.5, output: 2 })).to.include({ input: 1, source: 'operator' })
    expect(pricesOf('gpt-4o', { input: 9, cached: 9, output: 9 })).to.include({ input: 9, source: 'operator' })
  })

  it('counts cached tokens at their own price and rounds up', () => {
    const prices = { input: 2.5, cached: 1.25, output: 10 }
    expect(costMicros(prices, { inputTokens: 1000, cachedTokens: 400, outputTokens: 10 })).to.equal(1500 + 500 + 100)
    expect(costMicros(prices, { inputTokens: 1, cachedTokens: 0, outputTokens: 0 })).to.equal(3)
  })

  it('reserves at least what a call can cost, whatever the text and the tokenizer', () => {
    const prices = { input: 2, cached: 1, output: 8, source: 'operator' }
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(64),
        (text, n, outputTokens) => {
          const request = aRequest({ messages: [{ role: 'user', text }], n })
          // One token for each byte is the most that a byte-level tokenizer makes.
          const usage = { inputTokens: Buffer.byteLength(text), cachedTokens: 0, outputTokens: outputTokens * n }
          expect(worstCaseMicros(prices, request)).to.be.at.least(costMicros(prices, usage))
        },
      ),
    )
  })
})
