/**
 * Tokens per second of generation on nano's shape (hidden 256, 6 layers, vocabulary 4096, random weights, answers that
 * do not end early): one request at a time, and eight at once, without an adapter and with one adapter each.
 *   node bench/model/generation.ts [--tokens 128] [--rounds 5]
 */
import { parseArgs } from 'node:util'
import { openGenerator } from '../../core/model/generation/thread/thread-generator.ts'
import { byteTokenizer, tinyAdapter, tinyBase } from '../../test/model/generation/tiny-base.ts'
import { quantile, report, short } from '../harness/report.ts'

const { values: options } = parseArgs({
  options: { tokens: { type: 'string', default: '128' }, rounds: { type: 'string', default: '5' } },
})
const tokens = Number(options.tokens)
const rounds = Number(options.rounds)

const base = tinyBase({
  hiddenSize: 256,
  layers: 6,
  heads: 4,
  kvHeads: 2,
  headDim: 64,
  intermediateSize: 688,
  vocabSize: 4096,
  contextLength: 512,
  eosTokenIds: [],
})
const generator = openGenerator(base, byteTokenizer())
const adapters = Array.from({ length: 8 }, (_, i) => ({
  hash: `adapter-${i}`,
  adapter: tinyAdapter(base.config, i, 16),
}))

/** Milliseconds that so many requests at once take, each with its own adapter or none. */
async function time(requests: number, withAdapters: boolean): Promise<number> {
  const started = performance.now()
  await Promise.all(
    adapters.slice(0, requests).map(async (adapter, i) => {
      await generator.generate({
        promptIds: Array.from({ length: 32 }, (_, at) => at + i + 5),
        options: { maxNewTokens: tokens },
        ...(withAdapters && { adapter }),
      })
    }),
  )
  return performance.now() - started
}

const rows = []
for (const withAdapters of [false, true]) {
  let single = 0
  for (const requests of [1, 8]) {
    await time(requests, withAdapters)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await time(requests, withAdapters))
    const perSecond = (requests * tokens * 1000) / quantile(times, 0.5)
    if (requests === 1) single = perSecond
    rows.push({
      adapters: withAdapters ? requests : 0,
      requests,
      'tokens/s': Math.round(perSecond),
      'of one request': short(perSecond / single),
      'of 300 tokens/s': short(perSecond / 300),
    })
  }
}
await report('generation', rows)
await generator.close()
