/** What people who do not write in English call a thing, without accents, and English words for it. Ideographs stand in pairs. One way only. */
export const OTHER_LANGUAGES = `
rechnung rechnungen facture factures factura facturas fattura fatture 发票 請求: invoice billing
ubersetzen ubersetzung ubersetze traduire traduction traducir: translation localization
traduccion traduzir traducao tradurre 翻译 翻訳 перевод: translation localization
bild bilder imagen imagenes imagem imagens immagine immagini 图片 图像 画像 写真 изображение: image photo
folien vortrag prasentation diapositives diapositivas presentacion apresentacao presentazione 幻灯 演示: presentation slide
tabellenkalkulation tableur planilha "hoja de calculo" "foglio di calcolo" 表格: spreadsheet excel
datenbank "base de donnees" "base de datos" "banco de dados" 据库: database sql; daten donnees datos dados dati 数据 данные: data
fehler fehlern erreur erreurs errore errori fallo fallos 错误 报错 ошибка: debug error
beheben reparieren corriger arreglar corrigir 修复 修正: fix debug
sicherheit securite seguridad seguranca sicurezza 安全 безопасность: security; angriff attaque ataque attacco 攻击 攻撃: attack security
prufen uberprufen verifier verificar verificare 检查 確認 проверить: verification review
pruebas testes "test unitaires" 测试 试验 тесты: test testing
schreiben verfassen ecrire rediger escribir redactar escrever scrivere 写作 撰写 написать: writing
zusammenfassen zusammenfassung resumer resumir resumen resumo riassumere 总结 摘要 要約: summary summarize
suchen suche chercher buscar 搜索 検索 поиск: search; forschung investigacion pesquisa ricerca 研究 исследование: research
webseite webseiten "site web" "pagina web" "sitio web" 网站 网页 саит: website web frontend; bericht informe relatorio 报告 報告 отчет: report
vertrag vertrage contrat contrats contrato contratos contratto 合同 契約 договор: contract legal
kunde kunden cliente clientes 客户 顧客: customer; verkauf vertrieb ventes ventas vendas vendite 销售 営業 продажи: sales
preis preise prix precio precios preco prezzo 价格 定价 価格: pricing
rezept rezepte recette recettes receta recetas receita ricetta 食谱 菜谱: recipe cooking
reise viaje viajes viagem viaggio 旅行: travel itinerary
lernen unterricht apprendre enseigner aprender ensenar imparare 学习 教学 学習: learning teach education
datei dateien fichier fichiers archivo archivos: file; planen planung planifier planificar planejar pianificare 计划 规划 計画: planning
anforderungen exigences requisitos requisiti 需求 要件: requirements; veroffentlichen bereitstellen deployer desplegar 部署 发布: deploy release
langsam schneller rapide rapido 性能 优化 最適: performance optimization
datenschutz confidentialite privacidad privacidade dsgvo rgpd 隐私: privacy gdpr
barrierefrei barrierefreiheit accesibilidad acessibilidade 障碍: accessibility
zeichnen dessiner dibujar desenhar disegnare 绘图 绘画: drawing illustration; diagramm schaubild diagramme diagrama 图表 流程: diagram chart
musik musique musica 音乐 音楽: music; 视频 動画 видео: video; stimme voix voz 语音 音声: voice speech audio
spiel spiele jeux juego jogo gioco 游戏 игра: game; uberwachen uberwachung surveiller 监控 監視: monitoring
besprechung sitzung reuniao riunione 会议 会議: meeting; nachricht correo courriel 邮件 письмо: email
steuer steuern impots impuestos imposto 税务 税金: tax accounting
buchhaltung comptabilite contabilidad contabilidade 会计 会計: accounting finance; aktie aktien bourse acciones azioni 股票 株式: stock trading
werbung publicite publicidad 营销 广告 広告 реклама: marketing advertising; lebenslauf bewerbung candidature 简历 履歴: resume job
roman geschichte historia storia 小说 故事 小説: story fiction; quellcode codigo codice 代码: code
entwerfen gestalten concevoir disenar diseno progettare 设计 設計: design; vergleichen comparer comparar confrontare 比较 比較: comparison
erklaren expliquer explicar spiegare 解释 説明: explain; automatisieren automatiser automatizar 自动 自動: automation
erstellen erzeugen creer crear criar creare 生成 创建 作成: create generate; analysieren analyser analizar analisar 分析 анализ: analysis
dokumentation documentacion documentacao documentazione 文档 文書: documentation
bezahlen zahlung zahlungen paiement pagos pagamento 支付 付款 支払: payment; aufteilen diviser dividir dividere 拆分 分割: split
zusammenfuhren fusionner fusionar unire 合并 結合: merge; wetter meteo tiempo clima 天气 天気: weather
schwachstelle schwachstellen vulnerabilite vulnerabilites vulnerabilidad: vulnerability security
vulnerabilidades vulnerabilita 漏洞 脆弱 уязвимость уязвимости: vulnerability security
tabelle tabellen tabla tablas tabela tabelas tabella: table database
herunterladen telecharger descargar baixar scaricare 下载 скачать: download
conteneur conteneurs contenedor contenedores contentor 容器 контеинер: container docker
sprache sprachen langue langues idioma idiomas lingua lingue 语言 言語 язык языки: language localization
startseite einstiegsseite accueil 首页: homepage landing; werbetext werbetexte texter redaction 文案: copywriting
artikel articulo articulos artigo artigos articolo 文章 記事 статья статьи: article writing
abonnements suscripcion suscripciones assinatura assinaturas abbonamento 订阅 подписка: subscription billing
anwendung anwendungen aplicacion aplicaciones aplicativo applicazione 应用 アプ приложение: app application
ergebnisse resultats resultados risultati 结果: results; testen tester probar testar testare テス тест протестировать: test testing
fehlersuche debuggen depurer depurar 调试 отладка: debug; schnittstelle schnittstellen interfaz interfaccia 接口 интерфеис: api interface
oberflache benutzeroberflache 界面 画面: ui interface design
farbe farben couleur couleurs colores cores colori 颜色 配色 цвет цвета: color palette
besucher visiteurs visitantes visitatori 访客: visitors conversion analytics
benutzer nutzer utilisateur utilisateurs usuario usuarios utente utenti 用户 пользователь пользователи: user
anmeldung anmelden connexion autenticacion autenticacao autenticazione 登录 认证 авторизация: login authentication
passwort passworter "mot de passe" contrasena contrasenas senha 密码 пароль: password credential
verschlusseln chiffrer cifrar 加密 шифрование: encryption; sichern sicherung sauvegarde "copia de seguridad" 备份 バッ: backup
leistung rendement rendimiento desempenho prestazioni 速度 производительность: performance; speicher memoire memoria 内存 メモ память: memory
zeitplan terminplan calendrier calendario 日程 日历 календарь: calendar schedule
aufgabe aufgaben tache taches tarea tareas tarefa tarefas 任务 задача задачи: task todo
ubersicht gliederung 大纲: outline summary; lettre carta lettera: letter
bewerbungsschreiben anschreiben "lettre de motivation": "cover letter" job
unternehmen firma entreprise empresa azienda 公司 企业 компания: company business
konkurrenz wettbewerb wettbewerber concurrents concurrence competencia concorrenza 竞品 竞争 конкуренты: competitor
marke marque marca 品牌 бренд: brand; zielgruppe publico 受众: audience persona; umfrage encuesta sondage sondaggio 问卷 調査 опрос: survey
haushalt finanzen finances finanzas financas 金融 财务 финансы: finance budget
rechner calcular calcolare 计算 計算 рассчитать: calculate
lied lieder chanson cancion cancoes canzone 歌曲: song music; foto fotos photos fotografia 照片 фото фотография: photo image
untertitel "sous titres" subtitulos legendas sottotitoli 字幕 субтитры: subtitle caption
aufnahme aufnahmen enregistrement grabacion gravacao registrazione 录音 録音 запись: recording transcription audio
vorlesen "lire voix" 朗读 озвучить: speech voice; protokoll "compte rendu" acta minuta ata verbale 纪要 протокол: meeting minutes
schuler eleves alumnos alunos studenti 学生 生徒: student education; prufung examen exame esame 考试: exam quiz
arzt medizin medecine medicina 医疗 医学 медицина: medical health
lieferung livraison envio entrega consegna 物流 配送 доставка: shipping logistics
lager bestand inventaire inventario estoque 库存 在庫: inventory
warteschlange fila 队列: queue; nebenlaufigkeit concurrencia concorrencia 并发: concurrency
architektur arquitectura arquitetura architettura 架构 архитектура: architecture
aufraumen umbauen refaktorieren refactoriser refactorizar refatorar 重构 リフ рефакторинг: refactor cleanup
verstandlich lisible legible: readable clarity
versionierung versionen versiones versoes versioni 版本 版数 версия: version release; zweig zweige branche rama 分支 ветка: branch git
serveur serveurs servidor servidores 服务 сервер: server; netzwerk reseau rede 网络 сеть: network; wolke nuage nube nuvem 云端: cloud
maschinelles "apprentissage automatique" "aprendizaje automatico" "aprendizado de maquina" 机器 機械 машинное: machine learning
modell modelle modele modelo modello 模型 モデ модель: model
kuche cuisiner cocinar cozinhar cucinare: cooking recipe; garten jardin: garden; miete loyer alquiler aluguel affitto 租房: rent lease
kundigung kundigen resilier: cancel termination; urlaub ferien vacances vacaciones ferias vacanze: travel vacation
flug vuelo voo volo 航班: flight travel
barrierefreie accessibilite accesible: accessibility; mehrsprachig multilingue: localization multilingual
ansprechend schoner bonito bello 漂亮 好看 красивыи: beautiful design
смарт: "smart contract" blockchain; контракт контрактов: contract; подготовить vorbereiten preparar 准备: prepare
напиши schreibe ecris escribe escreva scrivi 编写 書い: write writing
`;
