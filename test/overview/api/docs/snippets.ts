import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A fenced block of a page. */
export interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  /** The words behind the language: a file's name, `exits-4`, `no-run`, a schema. */
  readonly marks: readonly string[]
  readonly text: string
}

const ROOT = new URL('../../../../', import.meta.url)

/** Returns the blocks of a page in their order. */
export function snippetsOf(page: string): readonly Snippet[] {
  const markdown = readFileSync(fileURLToPath(new URL(page, ROOT)), 'utf8')
  return [...markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map((match) => {
    const [, info = '', text = ''] = match
    const [language = '', ...marks] = info.split(' ').filter((word) => word !== '')
    return { page, line: markdown.slice(0, match.index).split('\n').length, language, marks, text }
  })
}

/** Pages whose blocks run against the service, each in a folder of its own. */
export const RUN_PAGES = [
  'README.md',
  'docs/guides/get-started.md',
  'docs/guides/examples.md',
  'docs/guides/k-score.md',
  'docs/guides/results.md',
  'docs/guides/cli.md',
  'docs/guides/files.md',
  'docs/guides/batches.md',
  'docs/compose.md',
  'docs/guides/exports.md',
  'docs/guides/accounts.md',
  'docs/guides/sharing.md',
  'docs/versions.md',
  'docs/documents.md',
  'docs/guides/gateway.md',
  'docs/guides/captures.md',
  'docs/learn/datasets.md',
  'docs/assistant.md',
  'docs/guides/privacy.md',
  'docs/learn/evaluations.md',
  'docs/learn/benchmarks.md',
  'docs/learn/gates.md',
  'docs/learn/distillation.md',
  'docs/learn/bakeoffs.md',
  'docs/learn/inference.md',
  'docs/learn/cloud.md',
  'docs/learn/on-policy.md',
  'docs/learn/adapters.md',
] as const

/** Blocks that this test does not run, by page and first line, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md: npm ci && npm run quickstart': 'installs the project and runs the suite itself',
  'README.md: $ npm run quickstart -- --exit': 'test/quickstart runs it',
  'README.md: npm run check': '.ci/run runs them',
  'docs/guides/gateway.md: $ npm run quickstart -- --gateway': '.ci/run runs it',
  'README.md: npx svc up': 'starts a service, which test/stack does',
  'docs/learn/adapters.md: npx svc compile notes.jsonl':
    'fits an adapter on the server; test/compile/api/compile-adapter.test.ts does that in less time',
  'docs/guides/examples.md: curl -s localhost:8080/v1/compile/cmp_…/answers':
    'needs a job that asks; test/compile/api/jobs/questions.test.ts answers one',
  'docs/guides/results.md: {\n  "type"': 'shows a message; test/compile/api/dispatch/deploy-hook.test.ts verifies one',
  'docs/compose.md: $ svc compose': 'needs concepts; test/compile/api/dispatch/compose.test.ts runs it',
  'docs/compose.md: { "query"': 'a body; test/compile/api/dispatch/compose.test.ts sends one',
  'docs/guides/results.md: ROW    RESULT': 'shows three results at once, of no single job',
  'docs/guides/get-started.md: npm ci && npm run quickstart': 'test/quickstart runs it',
  'docs/guides/get-started.md: export SVC_URL=https://svc.example.org': 'the address is an example',
  'docs/guides/cli.md: npx svc cloud quote':
    'rents machines; test/compile/workflows/trainer-door.test.ts quotes and compiles a file, and no test the captures of a namespace',
  'docs/guides/cli.md: npx svc embed':
    'the last command needs a provider; test/console/artifacts/documents.test.ts runs them',
  'docs/documents.md: npx svc ask': 'needs a provider; test/console/artifacts/documents.test.ts asks one',
  'docs/learn/cloud.md: svc':
    'test/learn/api/cloud-jobs.test.ts and test/learn/workflows/cloud-jobs.test.ts run these commands and their calls',
  'docs/learn/cloud.md: SVC_TRAINER_URL': 'starts a Python worker; workers/trainer/tests/test_door.py runs one',
  'docs/learn/distillation.md: svc': 'test/learn/workflows/distill.test.ts and preference.test.ts run these commands',
  'docs/learn/gates.md: svc':
    'test/learn/workflows/gate.test.ts and test/learn/api/holdouts.test.ts run these commands',
  'docs/learn/on-policy.md: svc distill onpolicy':
    'the ids are examples; test/learn/workflows/onpolicy.test.ts distils by svc distill onpolicy',
  'docs/learn/on-policy.md: svc train': 'needs files of a teacher; test/cli/train.test.ts trains with one',
  'docs/guides/clients.md: python3 -m venv':
    'installs packages; .ci/run installs the lock file and runs npm run clients, and no test installs the built clients',
  'docs/guides/exports.md: {\n  "recipe_kind"': 'shows an answer; test/compile/api/artifacts/code.test.ts compares one',
  'docs/guides/sharing.md: curl -s -H "X-API-Key': 'test/compile/api/artifacts/share-pages.test.ts makes such links',
  "docs/guides/sharing.md: curl -s -H 'Content-Type": 'test/compile/api/artifacts/share-pages.test.ts runs them',
  'docs/learn/datasets.md: npx svc data split':
    'the id is an example; test/learn/workflows/datasets.test.ts splits by svc data',
  'docs/learn/datasets.md: npx svc data diff':
    'the id is an example; test/learn/workflows/datasets.test.ts compares and exports',
  'docs/learn/datasets.md: from datasets import load_dataset':
    'needs the Python package datasets; test/learn/workflows/datasets.test.ts reads the files of such a folder',
  'docs/assistant.md: { "command"': 'test/gateway/api/assist/assistant.test.ts sends commands',
  'docs/learn/bakeoffs.md: svc bakeoff': 'the id is an example; test/learn/workflows/bakeoffs.test.ts runs svc bakeoff',
  'docs/learn/inference.md: svc bench': 'test/learn/workflows/inference.test.ts measures and verifies by svc bench',
  'docs/learn/benchmarks.md: svc bench':
    'needs official files; test/learn/bench/benchmarks.test.ts uploads and runs MMLU by svc bench, and the others over HTTP',
  'docs/learn/evaluations.md: svc diagnose':
    'the ids are examples; test/learn/api/evals/evals.test.ts runs these commands',
  'docs/learn/evaluations.md: svc eval':
    'test/learn/api/evals/evals.test.ts runs the first two, and models.test.ts beside it asks a model of a provider over HTTP',
  'docs/guides/privacy.md: [{ "name": "aurora"': 'a header of a call to a provider',
  'docs/guides/gateway.md: client = OpenAI':
    'needs the Python SDKs; test/gateway/api/inference/sdk-calls.test.ts runs those for JavaScript',
  'docs/guides/gateway.md: curl -s -D headers.txt':
    'needs a provider; test/gateway/api/inference/receipts.test.ts runs these commands',
  'docs/guides/gateway.md: import base64':
    'needs a provider; test/gateway/api/inference/receipts.test.ts runs it with SVC_CLIENT_PYTHON',
  'README.md: from openai import OpenAI':
    'needs the Python SDK; test/gateway/api/inference/sdk-calls.test.ts makes the call with the SDK for JavaScript',
  "docs/guides/clients.md: import { Svc } from 'svc-client'": 'test/clients runs it with the built client',
  'docs/guides/clients.md: Backus, John': 'test/clients compares it',
  'docs/guides/clients.md: import pandas as pd': 'test/clients runs it with the built client',
}

/** Pages of formats, whose blocks are grammar, vectors and digests that the tests of the format check. */
export const CHECKED_PAGES: Readonly<Record<string, string>> = {
  'docs/formats/svc-format.md': 'test/compile/core/archive/format-doc.test.ts',
  'docs/formats/recipe-language.md': 'test/compile/core/language',
  'docs/formats/classifier-format.md': 'test/model/classifier/classifier.test.ts',
  'docs/formats/tabular-format.md': 'test/model/tabular',
  'docs/guides/clients.md': 'test/clients/clients.test.ts',
  'docs/guides/statistics.md': 'has no block',
  'docs/operating.md': 'has no block',
  'docs/figures.md': 'its commands run the benchmarks themselves',
}

/** Returns the reason for which a block does not run; undefined for one that does. */
export function reasonNotToRun({ page, text, marks }: Snippet): string | undefined {
  if (!marks.includes('no-run')) return undefined
  const entry = Object.entries(NOT_RUN).find(([start]) => `${page}: ${text}`.startsWith(start))
  if (entry === undefined) throw new Error(`${page}: a block is marked no-run without a reason: ${text.slice(0, 60)}`)
  return entry[1]
}
