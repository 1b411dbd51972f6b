import type { SampleOutcome, TeacherSample, TeacherSampleFacts } from './teacher-types.ts'

/** A sample as the evidence shows it: its text stays out. */
export function sampleFacts(sample: TeacherSample, outcome: SampleOutcome): TeacherSampleFacts {
  return {
    question: sample.question,
    ordinal: sample.ordinal,
    model: sample.model,
    finish: sample.finish,
    input_tokens: sample.inputTokens,
    cached_tokens: sample.cachedTokens,
    output_tokens: sample.outputTokens,
    cost_usd: sample.costUsdMicros / 1_000_000,
    latency_ms: sample.latencyMs,
    attempts: sample.attempts,
    reused: sample.isReused,
    outcome,
  }
}
