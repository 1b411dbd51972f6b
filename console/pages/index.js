/**
 * @typedef {object} Page
 * @property {string} title
 * @property {string} [within] the page of the navigation that this one belongs to
 * @property {true} [isOfAccount] in the second group of the navigation: about the account in place of its work
 * @property {true} [isOfOne] about one thing, which its argument names: another argument is another page
 * @property {string} scope what one must be allowed to do for the page to be offered
 * @property {() => Promise<import('preact').ComponentType<{}>>} load
 */
/**
 * Properties of a page for people who are not signed in.
 *
 * @typedef {object} EntryCall
 * @property {string} argument what the link of the mail brought
 * @property {string | undefined} notice why a person whose session ended sees this page
 * @property {import('../session.js').Door['ways'] | undefined} ways the configured ways to sign in; undefined on the page
 *   of a mailed link
 * @property {(path?: string) => void} onSignedIn continues to a path of this page, or to the one that was asked for
 */
/** @typedef {{ title: string, load: () => Promise<import('preact').ComponentType<EntryCall>> }} EntryPage */

/**
 * The pages by their names in addresses. The navigation lists the top-level pages in this order. Each is loaded when it
 * is first shown.
 *
 * @type {Readonly<Record<string, Page>>}
 */
export const PAGES = {
  jobs: { title: 'Jobs', scope: 'compile:read', load: async () => (await import('./jobs/jobs.js')).JobsPage },
  compile: {
    title: 'New compile',
    within: 'jobs',
    scope: 'compile:write',
    load: async () => (await import('./compile/compile.js')).CompilePage,
  },
  again: {
    title: 'Compile again',
    within: 'jobs',
    isOfOne: true,
    scope: 'compile:write',
    load: async () => (await import('./again/again.js')).AgainPage,
  },
  job: {
    title: 'Job',
    within: 'jobs',
    isOfOne: true,
    scope: 'compile:read',
    load: async () => (await import('./jobs/job.js')).JobPage,
  },
  artifacts: {
    title: 'Artifacts',
    scope: 'artifacts:read',
    load: async () => (await import('./artifacts/artifacts.js')).ArtifactsPage,
  },
  artifact: {
    title: 'Artifact',
    within: 'artifacts',
    isOfOne: true,
    scope: 'artifacts:read',
    load: async () => (await import('./artifacts/artifact.js')).ArtifactPage,
  },
  diff: {
    title: 'Compare artifacts',
    within: 'artifacts',
    isOfOne: true,
    scope: 'artifacts:read',
    load: async () => (await import('./diff/diff.js')).DiffPage,
  },
  datasets: {
    title: 'Datasets',
    scope: 'datasets:read',
    load: async () => (await import('./datasets/datasets.js')).DatasetsPage,
  },
  dataset: {
    title: 'Dataset',
    within: 'datasets',
    isOfOne: true,
    scope: 'datasets:read',
    load: async () => (await import('./datasets/dataset.js')).DatasetPage,
  },
  evals: {
    title: 'Evaluations',
    scope: 'eval:read',
    load: async () => (await import('./evals/evals.js')).EvalsPage,
  },
  evaluation: {
    title: 'Evaluation',
    within: 'evals',
    isOfOne: true,
    scope: 'eval:read',
    load: async () => (await import('./evals/evaluation.js')).EvaluationPage,
  },
  bakeoffs: {
    title: 'Bake-offs',
    scope: 'eval:read',
    load: async () => (await import('./evals/bakeoffs.js')).BakeoffsPage,
  },
  bakeoff: {
    title: 'Bake-off',
    within: 'bakeoffs',
    isOfOne: true,
    scope: 'eval:read',
    load: async () => (await import('./evals/bakeoff.js')).BakeoffPage,
  },
  distillations: {
    title: 'Distillation',
    scope: 'distill:read',
    load: async () => (await import('./jobs/distill/runs.js')).RunsPage,
  },
  distillation: {
    title: 'Distillation run',
    within: 'distillations',
    isOfOne: true,
    scope: 'distill:read',
    load: async () => (await import('./jobs/distill/run.js')).RunPage,
  },
  cloud: {
    title: 'Cloud jobs',
    scope: 'cloud:read',
    load: async () => (await import('./jobs/distill/cloud-jobs.js')).CloudJobsPage,
  },
  documents: {
    title: 'Documents',
    scope: 'documents:read',
    load: async () => (await import('./documents/documents.js')).DocumentsPage,
  },
  gateway: {
    title: 'Gateway',
    scope: 'capture:read',
    load: async () => (await import('./gateway/gateway.js')).GatewayPage,
  },
  usage: {
    title: 'Usage',
    isOfAccount: true,
    scope: 'billing:read',
    load: async () => (await import('./account/usage.js')).UsagePage,
  },
  billing: {
    title: 'Billing',
    isOfAccount: true,
    scope: 'billing:read',
    load: async () => (await import('./billing/billing.js')).BillingPage,
  },
  keys: {
    title: 'Keys',
    isOfAccount: true,
    scope: 'account:keys:read',
    load: async () => (await import('./keys/keys.js')).KeysPage,
  },
  people: {
    title: 'People',
    isOfAccount: true,
    scope: 'team:read',
    load: async () => (await import('./people/people.js')).PeoplePage,
  },
  team: {
    title: 'Team',
    within: 'people',
    isOfOne: true,
    scope: 'team:read',
    load: async () => (await import('./people/team.js')).TeamPage,
  },
  sessions: {
    title: 'Sessions',
    within: 'account',
    scope: 'account:read',
    load: async () => (await import('./account/sessions.js')).SessionsPage,
  },
  audit: {
    title: 'Audit log',
    isOfAccount: true,
    scope: 'audit:read',
    load: async () => (await import('./account/audit.js')).AuditPage,
  },
  account: {
    title: 'Account',
    isOfAccount: true,
    scope: 'account:read',
    load: async () => (await import('./account/account.js')).AccountPage,
  },
}

/** @type {EntryPage} */
export const FRONT = {
  title: 'Show a few rows, fill in the rest',
  load: async () => (await import('./entry/front.js')).FrontPage,
}

/** @type {EntryPage} */
export const SIGN_IN = { title: 'Sign in', load: async () => (await import('./entry/sign-in.js')).SignInPage }

/**
 * The pages of mailed links.
 *
 * @type {Readonly<Record<string, EntryPage>>}
 */
export const LINKS = {
  confirm: { title: 'Confirm it is you', load: async () => (await import('./entry/confirm.js')).ConfirmPage },
  invitation: { title: 'Invitation', load: async () => (await import('./entry/invitation.js')).InvitationPage },
}
