/** States of a measured gate. */
export const GATE_STATES = ['queued', 'running', 'succeeded', 'failed'] as const
/** Answers of a gate. */
export const GATE_DECISIONS = ['promote', 'block'] as const
export type GateDecision = (typeof GATE_DECISIONS)[number]
