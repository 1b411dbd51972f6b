import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { answerRows } from '../../../../../core/compile/stages/lora/answer-rows.ts'
import type { LoraRunner } from '../../../../../core/compile/stages/lora/lora-runner.ts'

const COSTS = { promptTokens: 1, droppedTokens: 0, newTokens: 1, firstTokenMs: 1, generationMs: 1 }
const INPUTS = Array.from({ length: 200 }, (_, place) => place)

describe('rows that an adapter answers', () => {
  /** Answers with the input, a round later; ends the turn at one of them. */
  function runner(over: AbortController, at: number): LoraRunner {
    return {
      run: async (input) => {
        await turn()
        if (input === at) over.abort()
        return { output: input, abstained: false, confidence: 1, ...COSTS }
      },
    }
  }

  it('end with the turn: those that began are answered, in their order, and no further one begins', async () => {
    const over = new AbortController()
    const answers = await answerRows(runner(over, 70), INPUTS, { until: over.signal })
    expect(answers.length).to.be.within(71, 71 + 64)
    expect(answers.map(({ output }) => output)).to.deep.equal(INPUTS.slice(0, answers.length))
  })

  it('are one at least, so that a turn that is over at once gets on', async () => {
    const over = new AbortController()
    over.abort()
    expect(await answerRows(runner(over, -1), INPUTS, { until: over.signal })).to.have.length(1)
  })
})
