import { expect } from 'chai'
import fc from 'fast-check'
import { openOfflineGenerator } from '../../../core/model/generation/offline-generator.ts'
import type { Generator } from '../../../core/model/generation/generator.ts'
import type { Constraint } from '../../../core/model/generation/options.ts'
import { openGenerator } from '../../../core/model/generation/thread/thread-generator.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { byteTokenizer, leadingTokenizer, tinyAdapter, tinyBase } from './tiny-base.ts'

const tokenizer = byteTokenizer()
const base = tinyBase()
const prompt = (text: string): readonly number[] => tokenizer.encode(text)
const adapterOf = (seed: number) => ({
  hash: `adapter ${seed}`,
  adapter: tinyAdapter(base.config, seed, 1 + (seed % 3)),
})

describe('a generator', () => {
  let generator: Generator
  before(() => {
    generator = openOfflineGenerator(base, tokenizer, { maxBatch: 4 })
  })
  after(async () => {
    await generator.close()
  })

  const answer = async (constraint: Constraint, seed: number, maxNewTokens = 60) =>
    await generator.generate({
      promptIds: prompt(`question ${seed}`),
      options: { constraint, seed, temperature: 3, maxNewTokens },
    })

  it('answers within the labels, whatever the base prefers, with probabilities that sum to 1', async () => {
    const labels = ['card', 'card_payment', 'refund', 'the refund', 'été', 'été 日本']
    const found = new Map<string, number>()
    for (let seed = 0; seed < 60; seed++) {
      const { text, confidence, finish } = await generator.generate({
        promptIds: prompt('a question'),
        options: { constraint: { type: 'labels', labels }, seed, temperature: 5, maxNewTokens: 1 },
      })
      expect(labels).to.include(text)
      expect(finish).to.equal('end')
      found.set(text, confidence)
    }
    expect([...found.keys()].toSorted()).to.deep.equal(labels.toSorted())
    expect([...found.values()].reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-5)
  })

  it('answers with texts that match the regular expression, also when few tokens are left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('[a-c]+é?', '(?:日本|the){2,}!', '\\d{3}-[^x]*z', 'a(?:b{20})?'),
        fc.nat({ max: 1000 }),
        fc.integer({ min: 5, max: 25 }),
        async (pattern, seed, maxNewTokens) => {
          const { text, ids } = await answer({ type: 'regex', pattern }, seed, maxNewTokens)
          expect(text).to.match(new RegExp(`^(?:${pattern})$`, 'u'))
          expect(ids.length).to.be.at.most(maxNewTokens)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('answers without the space that a sentencepiece tokenizer puts in front of the answers of training', async () => {
    const leading = openOfflineGenerator(base, leadingTokenizer(), { maxBatch: 4 })
    const constraints: readonly (readonly [Constraint, RegExp])[] = [
      [{ type: 'labels', labels: ['card', 'the refund'] }, /^(?:card|the refund)$/],
      [{ type: 'regex', pattern: '[a-c]{2,5}' }, /^[a-c]{2,5}$/],
      [{ type: 'json-schema', schema: { enum: ['card', 12] } }, /^(?:"card"|12)$/],
    ]
    try {
      for (const [constraint, expected] of constraints) {
        for (let seed = 0; seed < 5; seed++) {
          const options = { constraint, seed, temperature: 3, maxNewTokens: 20 }
          const { text, ids } = await leading.generate({ promptIds: prompt('a question'), options })
          expect(text).to.match(expected)
          expect(tokenizer.decode(ids)).to.equal(` ${text}`)
        }
      }
    } finally {
      await leading.close()
    }
  })

  it('answers with JSON that validates, also when few tokens are left', async () => {
    const schema = {
      type: 'object',
      properties: {
        label: { enum: ['card', 'refund'] },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { n: { type: 'number' }, note: { type: 'string' } },
            required: ['note'],
          },
        },
        isNew: { type: ['boolean', 'null'] },
      },
      required: ['items', 'label'],
    }
    for (let seed = 0; seed < 20; seed++) {
      const { text } = await answer({ type: 'json-schema', schema }, seed, 40 + seed * 3)
      const value: unknown = JSON.parse(text)
      expect(value).to.include.keys('items', 'label').and.not.to.have.any.keys('n', 'note')
    }
  })

  it('gives each of many requests at once, with adapters of their own, the answer that it gets alone', async () => {
    const requests = Array.from({ length: 10 }, (_, index) => ({
      promptIds: prompt('a question '.repeat(1 + (index % 4)) + String(index)),
      ...(index % 3 === 0 ? {} : { adapter: adapterOf(index % 3) }),
      options: { maxNewTokens: 5 + index * 3, seed: index, temperature: index % 2 },
    }))
    const together = await Promise.all(requests.map(async (request) => await generator.generate(request)))
    for (const [index, request] of requests.entries()) {
      const alone = await generator.generate(request)
      expect(together[index]?.ids).to.deep.equal(alone.ids)
      expect(together[index]?.logProb).to.be.closeTo(alone.logProb, 1e-3)
    }
    expect(new Set(together.map(({ text }) => text)).size).to.be.greaterThan(5)
  })

  it('sums up the log-probabilities that it gives to the tokens of its answer', async () => {
    const promptIds = prompt('a question')
    const { ids, logProb, finish } = await generator.generate({
      promptIds,
      adapter: adapterOf(1),
      options: { maxNewTokens: 12, temperature: 1, seed: 5 },
    })
    expect(finish).to.equal('length')
    const scores = await generator.logProbs({ ids: [...promptIds, ...ids], adapter: adapterOf(1) })
    expect(scores[0]).to.equal(null)
    const sum = scores.slice(promptIds.length).reduce<number>((total, each) => total + (each ?? 0), 0)
    expect(logProb).to.be.closeTo(sum, 1e-3)
  })

  it('scores continuations of one prompt as it scores each text alone', async () => {
    const promptIds = prompt('a question')
    const continuations = [[7], [9, 11, 13], [20, 21], Array.from({ length: 40 }, (_, index) => 30 + index)]
    const busy = generator.generate({ promptIds: prompt('another'), options: { maxNewTokens: 8 } })
    const scores = await generator.scoreContinuations({ promptIds, continuations, adapter: adapterOf(1) })
    await busy
    for (const [place, ids] of continuations.entries()) {
      const alone = await generator.logProbs({ ids: [...promptIds, ...ids], adapter: adapterOf(1) })
      const sum = alone.slice(promptIds.length).reduce<number>((total, each) => total + (each ?? 0), 0)
      expect(scores[place]?.logProb).to.be.closeTo(sum, 1e-3)
    }
    const { ids } = await generator.generate({ promptIds, adapter: adapterOf(1), options: { maxNewTokens: 3 } })
    const [likeliest] = await generator.scoreContinuations({ promptIds, continuations: [ids], adapter: adapterOf(1) })
    expect(likeliest?.isGreedy).to.equal(true)
  })

  it('reads a long prompt in pieces', async () => {
    const long = openOfflineGenerator(tinyBase({ contextLength: 1024 }), tokenizer)
    const ids = Array.from({ length: 700 }, (_, index) => 2 + ((index * 37) % 250))
    const scores = await long.logProbs({ ids })
    const { logProb } = await long.generate({
      promptIds: ids.slice(0, 699),
      options: { constraint: { type: 'regex', pattern: '.*' }, maxNewTokens: 1 },
    })
    expect(scores).to.have.lengthOf(700)
    expect(logProb).to.be.lessThan(0)
    await long.close()
  })

  it('ends before a stop text, also one that begins in one token and ends in another', async () => {
    const constraint = { type: 'regex', pattern: '[a-zé]{40}' } as const
    const options = { maxNewTokens: 60, temperature: 1, seed: 11, constraint }
    const whole = await generator.generate({ promptIds: prompt('x'), options })
    const stop = whole.text.slice(9, 12)
    const cut = await generator.generate({ promptIds: prompt('x'), options: { ...options, stop: ['not in it', stop] } })
    expect(cut.finish).to.equal('stop')
    expect(cut.text).to.equal(whole.text.slice(0, whole.text.indexOf(stop)))
  })

  it('refuses options that are out of range, prompts that leave no room, and ids that it does not have', async () => {
    const promptIds = prompt('x')
    await expectCode(
      'validation_failed',
      async () => await generator.generate({ promptIds, options: { temperature: -1 } }),
    )
    await expectCode('validation_failed', async () => await generator.generate({ promptIds: [100_000] }))
    await expectCode('validation_failed', async () => await generator.generate({ promptIds: [] }))
    await expectCode(
      'context_exceeded',
      async () => await generator.generate({ promptIds: Array.from({ length: 256 }, () => 5) }),
    )
    await expectCode(
      'context_exceeded',
      async () => await generator.logProbs({ ids: Array.from({ length: 257 }, () => 5) }),
    )
    await expectCode('invalid_constraint', async () => await answer({ type: 'regex', pattern: '(' }, 1))
  })

  it('refuses more requests than may wait', async () => {
    const small = openOfflineGenerator(base, tokenizer, { maxBatch: 1, maxQueue: 2 })
    const ask = async () => await small.generate({ promptIds: prompt('x'), options: { maxNewTokens: 5 } })
    const settled = await Promise.allSettled([ask(), ask(), ask(), ask()])
    expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    await expectCode('model_busy', async () => await Promise.all([ask(), ask(), ask()]))
    await small.close()
  })

  it('gives up a request whose signal is aborted, and goes on with the others', async () => {
    const controller = new AbortController()
    const reason = new Error('no longer wanted')
    const given = generator.generate({
      promptIds: prompt('x'),
      // So many tokens that the answer cannot be over when the other one is.
      options: { maxNewTokens: 200, constraint: { type: 'regex', pattern: '[a-z]{200}' } },
      signal: controller.signal,
    })
    const other = generator.generate({ promptIds: prompt('y'), options: { maxNewTokens: 30 } })
    while ((await generator.stats()).active < 2) await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    const [first, second] = await Promise.allSettled([given, other])
    expect(first).to.deep.include({ status: 'rejected', reason })
    expect(second.status).to.equal('fulfilled')
    expect((await generator.stats()).active).to.equal(0)
  })
})

describe('a generator in a thread', () => {
  it('answers as one on this thread does, asks for adapters once, and hands errors over', async () => {
    const here = openOfflineGenerator(base, tokenizer)
    const there = openGenerator(base, tokenizer)
    const request = {
      promptIds: prompt('a question'),
      adapter: adapterOf(2),
      options: { maxNewTokens: 20, seed: 3, temperature: 1 },
    }
    const [expected, ...found] = await Promise.all([
      here.generate(request),
      there.generate(request),
      there.generate(request),
    ])
    for (const { ids } of found) expect(ids).to.deep.equal(expected.ids)
    expect(await there.logProbs({ ids: request.promptIds })).to.deep.equal(
      await here.logProbs({ ids: request.promptIds }),
    )
    expect(await there.stats()).to.include({ active: 0, newTokens: 40, adaptersKept: 1 })
    await expectCode(
      'context_exceeded',
      async () => await there.generate({ promptIds: Array.from({ length: 256 }, () => 5) }),
    )
    await Promise.all([here.close(), there.close()])
  })

  it('rejects what is under way when it is closed, and everything after', async () => {
    const there = openGenerator(base, tokenizer)
    const request = {
      promptIds: prompt('x'),
      options: { maxNewTokens: 250, constraint: { type: 'regex', pattern: '[a-z]{200,}' } as const },
    }
    const under = expectCode('model_busy', async () => await there.generate(request))
    await there.close()
    await under
    expect(there.hasEnded).to.equal(true)
    await expectCode('model_busy', async () => await there.generate(request))
  })

  it('gives up a request whose signal is aborted', async () => {
    const there = openGenerator(base, tokenizer)
    const controller = new AbortController()
    const under = there.generate({ promptIds: prompt('x'), options: { maxNewTokens: 250 }, signal: controller.signal })
    controller.abort(new Error('no longer wanted'))
    const [settled] = await Promise.allSettled([under])
    expect(settled).to.have.nested.property('reason.message', 'no longer wanted')
    expect(await there.logProbs({ ids: prompt('ab') })).to.have.lengthOf(2)
    await there.close()
  })
})
