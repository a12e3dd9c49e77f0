/** The entry point of the one-time page for a Jira token. */
import { render } from 'preact';
import { applyTheme } from '../../../footbridge/page/theme.js';
import { ConnectPage } from './connect.js';
import { readInvitation } from './invitation.js';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<ConnectPage invitation={readInvitation()} />, root);
