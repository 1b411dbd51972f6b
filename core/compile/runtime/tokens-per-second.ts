/** Tokens per second, to a tenth; 0 where no time passed. */
export function tokensPerSecond(tokens: number, durationMs: number): number {
  return durationMs > 0 ? Math.round((tokens * 10_000) / durationMs) / 10 : 0
}
