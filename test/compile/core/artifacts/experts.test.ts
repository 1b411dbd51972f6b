import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { choosePrunable, sumActivations } from '../../../../core/compile/artifacts/experts/choose-experts.ts'
import { measureExperts } from '../../../../core/compile/artifacts/experts/measure-experts.ts'
import type { AdapterRecipe } from '../../../../core/compile/runtime/open-recipe.ts'
import { ADAPTER_FILES } from '../../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../../core/model/files/base-model.ts'
import { openOfflineGenerator } from '../../../../core/model/generation/offline-generator.ts'

const golden = join(import.meta.dirname, '../../../model/golden')
const EXPERTS = { count: 4, perToken: 2, intermediateSize: 8, normalizesShares: true, layers: [1] }
const never = new AbortController().signal
const EQUALITY = { spec: 'svc-equality-1' as const, rules: [] }

describe('the experts of an artifact', () => {
  it('are counted by layer, and a layer keeps those that a token needs', () => {
    const counted = [[{ layer: 1, counts: [60, 39, 1, 0] }], [{ layer: 1, counts: [60, 40] }]]
    const activations = sumActivations(EXPERTS, counted)
    expect(activations.map(({ count, share }) => [count, share])).to.deep.equal([
      [120, 0.6],
      [79, 0.395],
      [1, 0.005],
      [0, 0],
    ])
    const pruned = (threshold: number) => choosePrunable(EXPERTS, activations, threshold).map(({ expert }) => expert)
    expect(pruned(0)).to.deep.equal([])
    expect(pruned(0.005)).to.deep.equal([3])
    expect(pruned(0.01)).to.deep.equal([2, 3])
    expect(pruned(1)).to.deep.equal([2, 3])
  })

  it('are masked to measure what pruning costs on the rows', async () => {
    const folder = join(golden, 'qwen3-moe')
    const base = await openBaseModel(folder)
    const generator = openOfflineGenerator(base.model, base.tokenizer, { threads: 1 })
    const files = new Map<string, Uint8Array>()
    for (const name of ADAPTER_FILES) files.set(name, await readFile(join(folder, 'adapter', name)))
    const opened: AdapterRecipe = {
      kind: 'lora',
      files,
      adapterHash: `sha256:${'0'.repeat(64)}`,
      recipe: {
        spec: 'svc-lora-1',
        base: {
          name: 'qwen3-moe',
          weights_hash: base.model.weightsHash,
          architecture: 'Qwen3MoeForCausalLM',
          parameters: 1,
        },
        prompt: { template: 'plain', instruction: null },
        output: 'text',
        constraint: { type: 'labels', labels: ['refund', 'transfer', 'card', 'other'] },
        max_new_tokens: 8,
        stop: [],
        abstain_below: null,
      },
    }
    const measure = async (rows: readonly { input: string; expected: string }[], threshold: number) => {
      const subject = { opened, rows, equality: EQUALITY, threshold }
      const measures = await measureExperts({ base, generator }, subject, {
        signal: never,
        turns: { over: never, next: async () => undefined },
      })
      if (measures === null) throw new Error('the base is dense')
      return measures
    }
    try {
      const inputs = [
        'the order number is 1204',
        'the price was 56.30 euro',
        'turn the name into a slug',
        'which label',
      ]
      const labels = ['refund', 'transfer', 'card', 'other']
      // One row for each input and label: exactly one of four is right, whatever the random model answers.
      const rows = inputs.flatMap((input) => labels.map((expected) => ({ input, expected })))
      const none = await measure(rows, 0)
      expect([none.prunable, none.accuracy, none.prunedAccuracy, none.changedAnswers]).to.deep.equal([
        [],
        0.25,
        0.25,
        0,
      ])
      const total = none.activations.reduce((sum, { count }) => sum + count, 0)
      expect(total % 4, 'two experts in each of two layers for every token').to.equal(0)
      const most = await measure(rows, 1)
      expect(most.prunable).to.have.length(2 * (6 - 2))
      expect(most.accuracy).to.equal(0.25)
      expect(most.prunedAccuracy).to.equal(0.25)
      expect(most.changedAnswers % labels.length).to.equal(0)
      expect(most.changedAnswers, 'masking changes answers').to.be.above(0)
      expect(most.prunedShare).to.be.within(0.2, 0.8)
    } finally {
      await generator.close()
    }
  })
})
