import type { Random } from '../random.ts'

/** One example of a task. */
export interface Pair {
  readonly input: string
  readonly output: string
}

/** A task with its rule fixed: all its pairs follow one rule, which the instructions put in words. */
export interface Task {
  /** Ways to ask for it. Empty when only examples can show the rule. */
  readonly instructions: readonly string[]
  readonly make: (random: Random) => Pair
}

/** A family of tasks: draws the rule of one task, such as which word to replace. */
export interface TaskFamily {
  readonly name: string
  readonly task: (random: Random) => Task
}

/** A family of one task, whose rule is always the same. */
export const fixed = (name: string, instructions: readonly string[], make: (random: Random) => Pair): TaskFamily => ({
  name,
  task: () => ({ instructions, make }),
})

/** A family whose tasks share one generator of inputs and differ in a function from input to output. */
export const mapped = <T>(
  name: string,
  draw: (random: Random) => T,
  input: (value: T) => string,
  ways: readonly { readonly instructions: readonly string[]; readonly output: (value: T) => string }[],
): TaskFamily => ({
  name,
  task: (random) => {
    const { instructions, output } = random.pick(ways)
    return {
      instructions,
      make: (source) => {
        const value = draw(source)
        return { input: input(value), output: output(value) }
      },
    }
  },
})
