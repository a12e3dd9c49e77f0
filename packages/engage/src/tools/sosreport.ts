/** The tools that generate, track and fetch an sosreport. */
import { hostname } from 'node:os';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { Artifacts } from '../sos/artifacts.js';
import type { JobState } from '../sos/job-records.js';
import type { Jobs } from '../sos/jobs.js';
import { jobUri } from '../surface.js';
import { formatSize, iso } from '../text.js';
import type { Consent } from '../workflow/consent.js';
import { type EngageTool, inputSchema } from './tool.js';

/** Hosts time out a call after 60 s. */
const WAIT_MS = 50_000;

const plugins = z.array(z.string().regex(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and - only')).max(100);

const Collect = inputSchema({
  consent_token: z.string().optional().describe('From mint_engage_consent_token, after the person has agreed.'),
  workflow_session_id: z.string().optional().describe('From select_engage_product.'),
  only_plugins: plugins.optional().describe('Run only these sos plugins, such as ["networking"]. Cannot be combined with the next two.'),
  enable_plugins: plugins.optional().describe('sos plugins to enable in addition.'),
  disable_plugins: plugins.optional().describe('sos plugins to skip.'),
  log_size: z
    .string()
    .regex(/^\d+[kKmMgG]?$/, 'a number with k, m or g, such as 50m')
    .optional()
    .describe('Maximum size per log, such as "50m". Default unit: MiB.'),
  redaction: z.boolean().optional().describe('Mask host names, addresses and user names in the archive.'),
});

export function generateTool(consent: Consent, jobs: Jobs): EngageTool<typeof Collect> {
  return {
    name: 'generate_sosreport',
    title: 'Collect an sosreport',
    description:
      'Step 2: collect a diagnostic archive of this machine with `sos report`. Requires the consent_token from mint_engage_consent_token. Takes minutes: after 50 s it returns { job_id, status: "running" }; then poll get_generate_sosreport_status. Nothing leaves the machine.',
    input: Collect,
    readOnly: false,
    async run(input, owner, context) {
      const deadline = Date.now() + WAIT_MS;
      const { giveBack, session } = await consent.redeem(owner, input.consent_token, input.workflow_session_id);
      const job = await jobs
        .start(owner, requestOf(input), { sessionId: session.id, onRejected: giveBack })
        .catch(async (cause: unknown) => {
          await giveBack();
          throw cause;
        });
      const state = await jobs.wait(owner, job.jobId, {
        milliseconds: deadline - Date.now(),
        signal: context.signal,
        onProgress: ({ done, message, total }) => context.progress(done, total, message),
      });
      return finished(state);
    },
  };
}

function requestOf(input: z.output<typeof Collect>) {
  const { disable_plugins: disablePlugins, enable_plugins: enablePlugins, log_size: logSize, only_plugins: onlyPlugins, redaction } = input;
  return { onlyPlugins, enablePlugins, disablePlugins, logSize, redaction };
}

function finished(state: JobState) {
  if (state.failure !== undefined) {
    const { action, code, message } = state.failure;
    throw new Failure(code, message, action, { job_id: state.jobId });
  }
  return { text: stateText(state), structured: stateFields(state) };
}

const Job = inputSchema({ job_id: z.string().describe('From generate_sosreport.') });

export function jobStatusTool(jobs: Jobs): EngageTool<typeof Job> {
  return {
    name: 'get_generate_sosreport_status',
    title: 'sosreport job status',
    description: 'Return whether an sosreport is running, completed or failed. Poll every 10 to 20 seconds.',
    input: Job,
    readOnly: true,
    async run({ job_id: jobId }, owner) {
      const state = await jobs.state(owner, jobId);
      return { text: stateText(state), structured: stateFields(state) };
    },
  };
}

function stateText(state: JobState): string {
  const { archiveName, failure, fetchReference, finishedAt = 0, jobId, progress, sizeBytes = 0, startedAt } = state;
  const times = `started ${iso(startedAt)}, finished ${iso(finishedAt)}, resource ${jobUri(jobId)}`;
  if (failure !== undefined) return `Job ${jobId} (${times}) failed (${failure.code}): ${failure.message} ${failure.action}`;
  if (state.status === 'completed')
    return `The sosreport is ready: ${archiveName}, ${formatSize(sizeBytes)}, from job ${jobId} (${times}). Call fetch_sosreport with fetch_reference ${fetchReference}.`;
  const current = progress === undefined ? '' : ` ${progress.message} (${progress.done} of ${progress.total}).`;
  return `Job ${jobId} (started ${iso(startedAt)}, resource ${jobUri(jobId)}) is running.${current} Call get_generate_sosreport_status with job_id ${jobId} in 10 to 20 seconds; do not start another one.`;
}

/** The structured state of a job, for the tools and the resource. */
export function stateFields(state: JobState): Record<string, unknown> {
  const { archiveName, failure, fetchReference, finishedAt, jobId, progress, sizeBytes, startedAt, status } = state;
  return {
    job_id: jobId,
    status,
    started_at: iso(startedAt),
    finished_at: finishedAt && iso(finishedAt),
    ...(status === 'running' && progress !== undefined ? { progress } : {}),
    ...(status === 'completed' && finishedAt !== undefined ? { created_at: iso(finishedAt) } : {}),
    archive_name: archiveName,
    size_bytes: sizeBytes,
    fetch_reference: fetchReference,
    error: failure && { code: failure.code, message: failure.message, text: `${failure.message} ${failure.action}` },
    resource_uri: jobUri(jobId),
  };
}

const Fetch = inputSchema({ fetch_reference: z.string().describe('From generate_sosreport or get_generate_sosreport_status.') });

export function fetchTool(artifacts: Artifacts): EngageTool<typeof Fetch> {
  return {
    name: 'fetch_sosreport',
    title: 'Fetch the sosreport',
    description:
      'Step 2: copy the archive to where the person can inspect it, and return its path, size, sha256 and the artifact_ref for jira_attach_artifact. Nothing leaves the machine.',
    input: Fetch,
    readOnly: true,
    async run({ fetch_reference: reference }, owner) {
      const { archiveName, artifactRef, expiresAt, path, sha256, sizeBytes } = await artifacts.fetch(owner, reference);
      return {
        text: `The sosreport is on the machine ${hostname()} at ${path} (${formatSize(sizeBytes)}, sha256 ${sha256}), until ${iso(expiresAt)}. Show these to the person before sending it anywhere. To attach it to a Jira issue, call jira_attach_artifact with artifact_ref ${artifactRef}.`,
        structured: {
          path,
          archive_name: archiveName,
          size_bytes: sizeBytes,
          sha256,
          artifact_ref: artifactRef,
          expires_at: iso(expiresAt),
        },
      };
    },
  };
}
