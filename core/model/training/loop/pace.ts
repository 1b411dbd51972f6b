/** Steps that the present pace is measured over. */
const RECENT_STEPS = 20

/** Speed of a job's training. */
export interface Pace {
  add(tokens: number, seconds: number): void
  /** Over all steps, those before an interruption included. */
  total(): { readonly usefulTokens: number; readonly seconds: number }
  /** Over the last steps. */
  recent(): { readonly tokensPerSecond: number; readonly secondsPerStep: number }
}

/** Creates a pace that continues from an earlier measurement. */
export function createPace(usefulTokens: number, seconds: number): Pace {
  const total = { usefulTokens, seconds }
  const last: { readonly tokens: number; readonly seconds: number }[] = []
  return {
    add(tokens, taken) {
      total.usefulTokens += tokens
      total.seconds += taken
      last.push({ tokens, seconds: taken })
      if (last.length > RECENT_STEPS) last.shift()
    },
    total: () => ({ ...total }),
    recent() {
      const tokens = last.reduce((sum, step) => sum + step.tokens, 0)
      const time = last.reduce((sum, step) => sum + step.seconds, 0)
      return {
        tokensPerSecond: time > 0 ? tokens / time : 0,
        secondsPerStep: last.length > 0 ? time / last.length : 0,
      }
    },
  }
}
