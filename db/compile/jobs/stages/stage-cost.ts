/** Cost of a stage. */
export interface StageCost {
  /** Wall time of the attempt that recorded the result, milliseconds. */
  readonly durationMs: number
  /** Processor time, milliseconds, where it was measured. */
  readonly cpuMs?: number
  /** Money paid to providers, millionths of a US dollar. */
  readonly usdMicros: number
  /** Tokens sent to and received from providers. */
  readonly tokens?: number
  /** Steps of the synthesizer. */
  readonly workUnits?: number
}
