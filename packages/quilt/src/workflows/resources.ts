/** The caller's workflows as resources. */
import { defineResource, FootbridgeError } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import type { Resource } from '../guarded.js';
import type { WorkflowStore } from './store.js';
import { overviewOf, statusOf, WORKFLOWS_URI } from './view.js';

export function workflowResources(store: WorkflowStore): readonly Resource[] {
  return [
    defineResource({
      uri: WORKFLOWS_URI,
      name: 'workflows',
      title: 'Workflows',
      description:
        'All workflows that you track, the one that changed last first: id, state, progress and times, with a count for each state. workflow_create adds one.',
      read: async (_parameters, { caller }) => overviewOf(await store.list(ownerOf(caller))),
    }),
    defineResource({
      uri: `${WORKFLOWS_URI}/{workflow_id}/status`,
      name: 'workflow-status',
      title: 'Workflow status',
      description:
        'One workflow: its steps with status, notes and times, what can be done next, and the last ten changes. The ids are in workflow://workflows; workflow_update changes a step.',
      variables: {
        workflow_id: {
          complete: async (typed, { caller }) => {
            const workflows = await store.list(ownerOf(caller));
            return workflows.map(({ id }) => id).filter((id) => id.startsWith(typed.toLowerCase()));
          },
        },
      },
      async read({ workflow_id: id }, { caller }) {
        const workflow = await store.get(ownerOf(caller), id);
        if (workflow !== undefined) return statusOf(workflow);
        throw new FootbridgeError('NotFound', `You have no workflow '${id}'.`, {
          suggestedActions: [`Read '${WORKFLOWS_URI}' for the ids of yours.`],
        });
      },
    }),
  ];
}
