/** The entry of the widget's document. */
import './widget.css';
import { DATA_ID, type WidgetData } from './offer';
import { startWidget } from './widget';

const main = document.querySelector('main');
const data = document.getElementById(DATA_ID)?.textContent;
if (main && data) startWidget(main, JSON.parse(data) as WidgetData);
