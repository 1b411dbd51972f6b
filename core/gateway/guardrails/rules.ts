import { z } from 'zod'
import { textUpTo } from '../../kernel/wire/text.ts'
import { patternProblem } from './patterns.ts'

/** Actions of a guardrail rule. */
const RULE_ACTIONS = ['block', 'warn', 'rewrite'] as const
/** Modes of the detection of prompt injection. */
export const GUARDRAIL_MODES = ['off', 'detect_only', 'flag', 'block'] as const

const MOST_RULES = 32

/** A rule about the texts of a call. */
const GuardrailRule = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, dots, dashes or underscores' })
      .meta({ description: 'Named in the answer to a call that the rule refuses', example: 'no-secret-project' }),
    pattern: textUpTo(512).meta({
      description:
        '`keyword:` and a word or phrase, whatever its case; `glob:` and a word with `*` and `?`; otherwise a regular expression in RE2 syntax, which takes time linear in the text',
      example: 'keyword:project aurora',
    }),
    action: z.enum(RULE_ACTIONS).meta({ description: '`block` refuses the call, `rewrite` replaces the matches' }),
    replacement: z.string().max(512).optional().meta({ description: 'With `rewrite`; `[removed]` when absent' }),
  })
  .superRefine(({ pattern, action, replacement }, context) => {
    const problem = patternProblem(pattern)
    if (problem !== null) context.addIssue({ code: 'custom', path: ['pattern'], message: problem })
    if (replacement !== undefined && action !== 'rewrite') {
      context.addIssue({ code: 'custom', path: ['replacement'], message: 'is allowed only with the action rewrite' })
    }
  })
  .meta({ id: 'GuardrailRule' })
/** A rule about the texts of a call. */
export type GuardrailRule = z.output<typeof GuardrailRule>

/** Rules with different names. */
export const GuardrailRules = z
  .array(GuardrailRule)
  .max(MOST_RULES)
  .superRefine((rules, context) => {
    for (const [i, { name }] of rules.entries()) {
      if (rules.findIndex((rule) => rule.name === name) === i) continue
      context.addIssue({ code: 'custom', path: [i, 'name'], message: 'is the name of an earlier rule' })
    }
  })
