import DefaultTheme from "vitepress/theme";
import Layout from "./Layout.vue";
import LiveExample from "./LiveExample.vue";
import ViewerExample from "./ViewerExample.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component("LiveExample", LiveExample);
    app.component("ViewerExample", ViewerExample);
  },
};
