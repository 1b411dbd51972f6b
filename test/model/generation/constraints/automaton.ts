import { DEAD, type Dfa } from '../../../../core/model/generation/constraints/dfa.ts'
import type { Random } from '../../../../core/model/random.ts'

/** Whether the automaton accepts a text. */
export function accepts(dfa: Dfa, text: string): boolean {
  let state = dfa.start
  for (const byte of Buffer.from(text)) state = state === DEAD ? DEAD : dfa.step(state, byte)
  return state !== DEAD && dfa.isAccepting(state)
}

/** A text that the automaton accepts: `bytes` random steps, then the shortest way to the end. */
export function randomText(dfa: Dfa, random: Random, bytes: number): string {
  const text: number[] = []
  let state = dfa.start
  for (let count = 0; count < bytes; count++) {
    const open = [...Array(256).keys()].filter((byte) => dfa.step(state, byte) !== DEAD)
    const byte = open[random.below(Math.max(1, open.length))]
    if (byte === undefined) break
    text.push(byte)
    state = dfa.step(state, byte)
  }
  return new TextDecoder('utf8', { fatal: true }).decode(Uint8Array.of(...text, ...dfa.shortestEnd(state)))
}
