import { shellQuote } from './shell-quote.ts'
import type { DeployTarget } from './targets.ts'

/** One step of a plan: commands for a POSIX shell, in order. */
interface DeployStep {
  readonly id: string
  readonly label: string
  readonly command: string
}

/** The request for a plan. */
export interface DeployOrder {
  readonly target: DeployTarget
  /** Null: the variable `SVC_ARTIFACT_ID` names it. */
  readonly artifactId: string | null
  readonly name: string
  readonly baseUrl: string
}

/** A list of steps; nothing is started. */
export interface DeployPlan {
  readonly steps: readonly DeployStep[]
  readonly rollback: readonly string[]
  readonly observability: readonly string[]
}

/** The release of Node that the program needs, as an image. */
const IMAGE = 'node:24-slim'
/** The folder of a checkout of this program. */
const HOME = '"$SVC_HOME"'
const CONFIDENTIAL = 'confidential_compute'

/**
 * Plans a deployment: pull, verify, what the target needs, serve, attest. An archive is served as a process that answers
 * each line of its input with a line. Every value from a request is one quoted word.
 */
export function planDeployment(order: DeployOrder): DeployPlan {
  const { target, artifactId, name, baseUrl } = order
  const file = shellQuote(`${name}.svc`)
  const artifact = artifactId === null ? '"$SVC_ARTIFACT_ID"' : shellQuote(artifactId)
  const url = shellQuote(baseUrl)
  const byTarget = target.id === 'docker' ? container(name) : host(name)
  return {
    steps: [
      {
        id: 'pull-artifact',
        label: 'Download the archive',
        command: `svc --url ${url} download ${artifact} -o ${file}`,
      },
      { id: 'verify-artifact', label: 'Verify the archive offline', command: `svc verify ${file}` },
      ...byTarget.steps,
      attest(order, artifact),
    ],
    rollback: byTarget.rollback,
    observability: byTarget.observability,
  }
}

/** The archive in a container without a network. */
function container(name: string): DeployPlan {
  const file = shellQuote(`${name}.svc`)
  const box = shellQuote(name)
  const mounts = `-v ${HOME}:/svc:ro -v "$PWD"/${file}:/artifact.svc:ro`
  const run = `docker run --rm -i --network none ${mounts}`
  return {
    steps: [
      { id: 'prepare-runtime', label: 'Fetch the runtime', command: `docker pull ${IMAGE}` },
      {
        id: 'check-runtime',
        label: 'Look at the archive inside the container',
        command: `${run} ${IMAGE} node /svc/cli/svc.js inspect /artifact.svc`,
      },
      {
        id: 'serve-artifact',
        label: 'Answer each line of input with a line',
        command: `${run} --name ${box} ${IMAGE} node /svc/cli/svc.js run /artifact.svc --lines`,
      },
    ],
    rollback: [`docker stop ${box}`],
    observability: [`docker logs --follow ${box}`],
  }
}

/** The archive on a machine that `DEPLOY_HOST` names, with a checkout of this program in `SVC_HOME` there. */
function host(name: string): DeployPlan {
  const file = shellQuote(`${name}.svc`)
  const there = (command: string): string => `ssh "$DEPLOY_HOST" ${shellQuote(command)}`
  const svc = `node ${HOME}/cli/svc.js`
  return {
    steps: [
      { id: 'copy-artifact', label: 'Copy the archive', command: `scp ${file} "$DEPLOY_HOST":${file}` },
      { id: 'check-runtime', label: 'Look at the archive there', command: there(`${svc} inspect ${file}`) },
      {
        id: 'serve-artifact',
        label: 'Answer each line of input with a line',
        command: there(`${svc} run ${file} --lines`),
      },
    ],
    rollback: [there(`rm -f ${file}`)],
    observability: [there('uptime')],
  }
}

function attest({ target, baseUrl }: DeployOrder, artifact: string): DeployStep {
  const url = shellQuote(baseUrl)
  if (target.category !== CONFIDENTIAL) {
    const command = `svc --url ${url} credential ${artifact}`
    return { id: 'attest', label: 'Issue the credential of the artifact', command }
  }
  const route = shellQuote(`${baseUrl}/v1/cc/verify`)
  const headers = `-H "x-api-key: $SVC_API_KEY" -H 'content-type: application/json'`
  return {
    id: 'attest',
    label: "Verify the machine's attestation report (report.json: kind, report, opts)",
    command: `curl -fsS ${headers} --data @report.json ${route}`,
  }
}
