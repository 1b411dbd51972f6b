import { z } from 'zod'
import type { BenchClient } from './client.ts'

const Job = z.object({ concept_id: z.string() })

/** Compiles a program from six names and returns the id of its concept. Throws when the compile is not ready at once. */
export async function compileRecipe(caller: BenchClient): Promise<string> {
  const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
  const examples = people.map((input) => {
    const [first = '', last = ''] = input.split(' ')
    return { input, output: `${last}, ${first.charAt(0)}.` }
  })
  const answer = await caller.call('POST', '/v1/compile', {
    task: 'Last name, first initial',
    examples,
    k_score_floor: 0,
  })
  if (answer.status !== 200) throw new Error(`compile answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return Job.parse(answer.body).concept_id
}

/** Calls `/v1/run` from `connections` callers for `seconds`; `inputOf` makes the input of each call. Returns requests/s. */
export async function runAtFullSpeed(
  caller: BenchClient,
  { connections, seconds, bodyOf }: { connections: number; seconds: number; bodyOf: () => object },
): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        const answer = await caller.call('POST', '/v1/run', bodyOf())
        if (answer.status !== 200) throw new Error(`run answered ${answer.status}: ${JSON.stringify(answer.body)}`)
        done++
      }
    }),
  )
  return done / ((performance.now() - start) / 1000)
}
