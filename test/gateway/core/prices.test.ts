import { expect } from 'chai'
import fc from 'fast-check'
import { costOf } from '../../../core/gateway/calls/estimate.ts'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { worstCaseOf } from '../../../core/gateway/calls/worst-case.ts'
import { usageOf } from '../../../core/gateway/protocol/exchange/answer.ts'
import { callCostMicros, costMicros, pricesOf, worstCaseMicros } from '../../../core/gateway/providers/prices.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { aRequest } from './given.ts'

describe('prices', () => {
  it('knows listed models and their dated snapshots, and says as of when', () => {
    expect(pricesOf('gpt-4o-mini', undefined)).to.deep.equal({
      input: 0.15,
      cached: 0.075,
      output: 0.6,
      source: 'price list of 2025-12-01',
      page: 'https://openai.com/api/pricing/',
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

  it('counts what a call writes to the cache at the price of its time, and knows none where the list has none', () => {
    const usage = usageOf({ inputTokens: 1000, cachedTokens: 100, cacheWriteTokens: 600, hourCacheWriteTokens: 200 })
    const cost = (model: string, given = usage) => {
      const prices = pricesOf(model, undefined)
      return prices === null ? undefined : callCostMicros(prices, given)
    }
    // 300 at 3 USD, 100 at 0.3, 400 at 3.75 and 200 at 6 USD per million.
    expect(cost('claude-sonnet-4-6')).to.equal(900 + 30 + 1500 + 1200)
    expect(cost('gpt-5')).to.equal(null)
    expect(cost('gpt-5', usageOf({ inputTokens: 1000 }))).to.equal(1250)
  })

  it('counts a long prompt at its own price, and knows none where that is not known', () => {
    const cost = (model: string, inputTokens: number) => {
      const prices = pricesOf(model, undefined)
      return prices === null ? undefined : callCostMicros(prices, usageOf({ inputTokens, outputTokens: 1000 }))
    }
    expect(cost('gemini-2.5-pro', 200_000)).to.equal(250_000 + 10_000)
    expect(cost('gemini-2.5-pro', 200_001)).to.equal(500_003 + 15_000)
    for (const [model, tokens] of [
      ['gpt-5.5', 272_001],
      ['claude-sonnet-4-5', 200_001],
    ] as const) {
      expect(cost(model, tokens), model).to.equal(null)
    }
    expect(cost('claude-opus-5', 900_000)).to.equal(4_500_000 + 25_000)
  })

  it('reserves what a call may write to the cache', () => {
    const target = targetOf('claude-sonnet-4-6')
    const text = { type: 'text', text: 'x '.repeat(2500) }
    const most = (part: JsonObject) =>
      worstCaseOf(target, { max_tokens: 10, messages: [{ role: 'user', content: [part] }] }, undefined) ?? 0
    const usage = usageOf({ inputTokens: 5000, cacheWriteTokens: 5000, hourCacheWriteTokens: 5000, outputTokens: 10 })
    const kept = most({ ...text, cache_control: { type: 'ephemeral', ttl: '1h' } })
    expect(kept).to.be.at.least(costOf(target, usage) ?? Number.POSITIVE_INFINITY)
    expect(most(text)).to.be.lessThan(kept)
    // A prompt that is long at this model's price costs five times as much.
    const long = { max_tokens: 10, messages: [{ role: 'user', content: 'x '.repeat(55_000) }] }
    const haiku = targetOf('claude-haiku-5-5')
    const counted = usageOf({ inputTokens: 110_000, outputTokens: 10 })
    expect(worstCaseOf(haiku, long, undefined)).to.be.at.least(costOf(haiku, counted) ?? Number.POSITIVE_INFINITY)
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
