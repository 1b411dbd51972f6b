import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of distillation, evaluation and the planning of compute, each with its sentence. */
export const LEARN_SCOPES = {
  'distill:read': 'Get advice on distillation, and the state of its trainers',
  'eval:read': 'Read calibrations and benchmark evidence, and make adversarial cases',
  'cloud:read': 'Plan compute and deployments, and read what is ready',
  'cloud:write': 'Probe what is configured for compute and deployments',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
